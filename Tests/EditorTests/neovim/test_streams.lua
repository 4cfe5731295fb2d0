-- While text comes: the buffer, the cursor and the windows stay, and nothing that is void is left.
local tests = {}

local function rephrase(plays, more)
  return vim.tbl_extend("force", { ["assistant/rephrase"] = plays }, more or {})
end

local forever = { seconds = 30 }

function tests.partial_results_are_cut_and_begun_anew()
  local editor = Editor.new({
    lines = { "x" },
    methods = rephrase({
      { { text = "Abc déf" }, { text = "g!", offset = 8 }, forever },
      { { text = "First draft" }, { text = "Second", offset = 0 }, { text = " one", offset = 6 }, forever },
    }),
  })
  editor:keys("gzz"):wait_shown("Abc défg!"):keys("gzz"):wait_shown("Second one")
  Equal(editor:shown():find("First draft", 1, true), nil)
  Equal(editor:text(), "x")
  editor:quit()
end

function tests.messages_in_many_pieces()
  local editor = Editor.new({
    lines = { "x y" }, script = { chunk = 7 }, methods = rephrase({ Answer("élan vital 🎉 " .. ("w"):rep(300)) }),
  })
  editor:keys("gzz"):wait_done():keys("gy"):wait_text("élan vital 🎉 " .. ("w"):rep(300)):quit()
end

function tests.many_messages_in_one_piece()
  local play = { { hold = true } }
  vim.list_extend(play, Answer("eins zwei"))
  table.insert(play, { notify = { "model/didChangeAvailability", { availability = { state = "available" } } } })
  table.insert(play, { hold = false })
  local editor = Editor.new({ lines = { "x y" }, methods = rephrase({ play }) })
  editor:keys("gzz"):wait_done():keys("gy"):wait_text("eins zwei"):quit()
end

function tests.every_way_to_cut_two_messages()
  local editor = Editor.new({ lines = { "" } })
  Equal(editor:lua([[
    local function message(value)
      local body = vim.json.encode(value)
      return "Content-Length: " .. #body .. "\r\n\r\n" .. body
    end
    local bytes = message({ id = 1, result = "é🎉" }) .. message({ method = "m", params = { a = "\r\n\r\n" } })
    for cut = 1, #bytes do
      local got = {}
      local read = require("inkling.transport").reader(function(value) table.insert(got, value) end)
      read(bytes:sub(1, cut))
      if cut < #bytes then read(bytes:sub(cut + 1)) end
      if #got ~= 2 or got[1].result ~= "é🎉" or got[2].params.a ~= "\r\n\r\n" then return cut end
    end
    local got = 0
    local read = require("inkling.transport").reader(function() got = got + 1 end)
    for index = 1, #bytes do read(bytes:sub(index, index)) end
    return got
  ]]), 2)
  editor:quit()
end

function tests.loading_is_shown_and_typing_works_meanwhile()
  local editor = Editor.new({
    lines = { "one", "", "two" },
    methods = rephrase({ {
      { work = { kind = "begin", title = "Rephrase", percentage = 0 } },
      { work = { kind = "report", message = "Loading the model", percentage = 40 } },
      { ["until"] = "assistant/countTokens" }, { text = "Zwei" }, { result = { text = "Zwei" } },
    } }),
  })
  editor:keys("Ggzz"):wait_shown("Loading the model 40 %")
  Equal(editor:lua([[return require("inkling").status()]]), "Inkling: Loading the model 40 %")
  local began = vim.loop.hrtime()
  editor:keys("ggAmore<CR>lines<Esc>")
  Equal(editor:text(), "onemore\nlines\n\ntwo")
  Equal((vim.loop.hrtime() - began) / 1e6 < 1000, true)
  editor:lua([[require("inkling.client").request("assistant/countTokens", { text = "x" }, function() end)]])
  editor:wait_done()
  Equal(editor:lua([[return require("inkling").status()]]), "")
  editor:keys("Ggy"):wait_text("onemore\nlines\n\nZwei"):keys("u"):wait_text("onemore\nlines\n\ntwo"):quit()
end

function tests.reading_and_the_speed_of_writing_are_in_the_status()
  local play = {
    { work = { kind = "report", message = "Reading the text", percentage = 61 } },
    { ["until"] = "assistant/countTokens" },
  }
  for index = 0, 12 do
    vim.list_extend(play, { { text = "word ", offset = 5 * index }, { seconds = 0.05 } })
  end
  table.insert(play, forever)
  local editor = Editor.new({ lines = { "x y" }, methods = rephrase({ play }) })
  editor:keys("gzz"):wait_lua([[return require("inkling").status() == "Inkling: Reading the text 61 %"]])
  editor:lua([[require("inkling.client").request("assistant/countTokens", { text = "x" }, function() end)]])
  editor:wait_lua([[
    local rate = tonumber(require("inkling").status():match("^Inkling: writing, (%d+) tokens/s$"))
    return rate and rate > 1 and rate < 27
  ]], function()
    return "the speed; there is " .. editor:lua([[return require("inkling").status()]])
  end)
  editor:wait_shown("tokens/s  <C-c> reject")
  editor:quit()
end

function tests.the_cursor_and_the_windows_stay_while_text_comes()
  local long = {}
  for index = 1, 60 do
    long[index] = { text = ("Row %d\n"):format(index), offset = #table.concat(vim.tbl_map(function(number)
      return ("Row %d\n"):format(number)
    end, vim.fn.range(1, index - 1))) }
  end
  table.insert(long, forever)
  local editor = Editor.new({ lines = { "one", "", "two", "", "three" }, methods = rephrase({ long }) })
  editor:keys("gzz")
  editor:keys("5Gl")
  local window = editor:lua("return vim.api.nvim_get_current_win()")
  editor:wait_shown("Row 60")
  Equal(editor:request("nvim_win_get_cursor", 0), { 5, 1 })
  Equal(editor:lua("return vim.api.nvim_get_current_win()"), window)
  Equal(editor:text(), "one\n\ntwo\n\nthree")
  editor:quit()
end

function tests.a_long_answer_is_in_a_window_that_scrolls()
  local words = {}
  for index = 1, 40 do
    words[index] = "line " .. index
  end
  local editor = Editor.new({ lines = { "x" }, methods = rephrase({ Answer(table.concat(words, "\n")) }) })
  editor:keys("gzz"):wait_done():wait_shown("line 40"):keys("gL"):keys("G")
  Equal(editor:request("nvim_get_current_line"), "line 40")
  editor:keys("gy"):wait_text(table.concat(words, "\n"))
  Equal(editor:lua("return #vim.api.nvim_list_wins()"), 1)
  editor:quit()
end

function tests.lines_are_wrapped_to_the_window()
  local editor = Editor.new({
    lines = { "x" }, width = 40, methods = rephrase({ Answer(("wörter "):rep(12) .. ("日本語"):rep(7)) }),
  })
  editor:keys("gzz"):wait_done()
  for _, row in ipairs(vim.split(editor:shown(), "\n")) do
    Equal(vim.fn.strdisplaywidth(row) <= 40, true, row)
  end
  Equal(editor:shown():gsub("\n", ""):find(("日本語"):rep(7), 1, true) ~= nil, true)
  editor:quit()
end

function tests.a_huge_answer()
  local huge = ("Some words, and more of them.\n"):rep(7000)
  local editor = Editor.new({ lines = { "x" }, methods = rephrase({ Answer(huge) }) })
  local began = vim.loop.hrtime()
  editor:keys("gzz"):wait_done():keys("gy"):wait_text(huge)
  Equal((vim.loop.hrtime() - began) / 1e9 < 4, true, "seconds")
  editor:keys("u"):wait_text("x"):quit()
end

function tests.a_huge_answer_in_many_parts()
  local part, play = "Some words, and more of them, and then a few more to make it a line of text.\n", {}
  for index = 1, 2600 do
    play[index] = { text = part, offset = (index - 1) * #part }
  end
  table.insert(play, { result = { text = part:rep(2600) } })
  local editor = Editor.new({ lines = { "x" }, methods = rephrase({ play }) })
  editor:keys("gzz"):wait_shown("Some words"):keys("oy<Esc>kk"):wait_done():keys("gy")
  editor:wait_text(part:rep(2600) .. "\ny"):quit()
end

function tests.a_huge_selection_of_one_line()
  local huge = ("word "):rep(40000)
  local editor = Editor.new({ lines = { huge }, methods = rephrase({ Answer(huge .. "end") }) })
  editor:keys("Vgz"):wait_done():keys("gy"):wait_text(huge .. "end"):keys("u"):wait_text(huge):quit()
end

function tests.an_empty_answer_deletes_nothing()
  local editor = Editor.new({ lines = { "one two" }, methods = rephrase({ { { result = { text = "" } } } }) })
  editor:keys("gzz"):wait_message("The answer is empty."):keys("gy")
  Equal(editor:text(), "one two")
  Equal(editor:lua("return marks()"), 0)
  editor:keys(":Inkling! rephrase<CR>")
  Wait(function()
    return #editor:lua("return messages") == 2
  end, "two messages")
  Equal(editor:text(), "one two")
  editor:quit()
end

function tests.after_an_error_all_is_void()
  local editor = Editor.new({
    lines = { "one two" },
    methods = rephrase({ {
      { text = "half of it" },
      { error = { code = 1001, message = "The file is no GGUF model. Choose another file." } },
    } }),
  })
  editor:keys("gzz"):wait_message("The file is no GGUF model. Choose another file.")
  Equal(editor:lua("return marks()"), 0)
  Equal(editor:text(), "one two")
  Equal(editor:lua([[return require("inkling").status()]]), "")
  editor:quit()
end

function tests.the_daemon_is_killed_and_started_again()
  local editor = Editor.new({
    lines = { "one two" }, methods = rephrase({ { { text = "half" }, { exit = 9 } } }),
  })
  editor:keys("gzz"):wait_message("ended with status 9")
  Equal(editor:lua("return marks()"), 0)
  editor:keys("gzz")
  editor:wait_sent("assistant/rephrase", 2)
  Equal(#editor:sent("initialize"), 2)
  Equal(editor:text(), "one two")
  editor:quit()
end

function tests.an_answer_just_before_the_end_of_the_daemon()
  local editor = Editor.new({
    lines = { "one two" }, methods = rephrase({ { { result = { text = "eins" } }, { exit = 0 } } }),
  })
  editor:keys("gzz"):wait_done():keys("gy"):wait_text("eins"):quit()
end

function tests.what_fails_together_is_told_once()
  local editor = Editor.new({
    lines = { "a", "", "b", "", "c" },
    methods = rephrase({ { forever }, { forever }, { { text = "half" }, { exit = 9 } } }),
  })
  editor:keys("gzz3Ggzz"):wait_sent("assistant/rephrase", 2)
  editor:keys("Ggzz"):wait_message("ended with status 9"):wait_lua("return marks() == 0")
  Equal(#editor:lua("return messages"), 1)
  editor:quit()
end

function tests.a_program_that_is_not_there()
  local editor = Editor.new({ lines = { "one two" }, command = { "/nowhere/inkling", "connect" } })
  editor:keys("gzz"):wait_message("/nowhere/inkling could not be started")
  Equal(editor:text(), "one two")
  Equal(editor:lua("return marks()"), 0)
  editor:quit()
end

function tests.a_program_that_speaks_something_else()
  local editor = Editor.new({ lines = { "one two" }, command = { "sh", "-c", "printf 'Hello: you\\r\\n\\r\\n'; cat" } })
  editor:keys("gzz"):wait_message("could not be read")
  Equal(editor:lua("return marks()"), 0)
  editor:quit()
end

function tests.several_windows_and_tabs_of_one_buffer()
  local editor = Editor.new({ lines = { "one two", "", "x" }, methods = rephrase({ Answer("eins zwei") }) })
  editor:ex("split")
  editor:ex("normal! G")
  editor:ex("wincmd p")
  editor:keys("gggzz"):wait_done():ex("wincmd p")
  editor:keys("gg"):keys("gy"):wait_text("eins zwei\n\nx"):quit()
end

return tests
