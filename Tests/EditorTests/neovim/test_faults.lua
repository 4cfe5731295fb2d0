-- Several requests, buffers and changes at once, and what other tools get wrong then.
local tests = {}

local function rephrase(plays, more)
  return vim.tbl_extend("force", { ["assistant/rephrase"] = plays }, more or {})
end

local forever = { seconds = 30 }
local waits = { { text = "half" }, forever }

function tests.dot_repeat()
  local editor = Editor.new({
    lines = { "one two", "three four" }, methods = rephrase({ Answer("eins"), Answer("drei"), Answer("vier") }),
  })
  editor:lua([[
    vim.keymap.set("n", "gs", function()
      return require("inkling").operator({ feature = "rephrase", tone = "shorter" })
    end, { expr = true })
  ]])
  editor:keys("gsiw"):wait_done():keys("gy"):wait_text("eins two\nthree four")
  editor:keys("j0."):wait_done():keys("gy"):wait_text("eins two\ndrei four")
  editor:keys("w."):wait_done():keys("gy"):wait_text("eins two\ndrei vier")
  local texts, tones = {}, {}
  for _, request in ipairs(editor:sent("assistant/rephrase")) do
    table.insert(texts, request.params.text)
    table.insert(tones, request.params.tone)
  end
  Equal({ texts, tones }, { { "one", "three", "four" }, { "shorter", "shorter", "shorter" } })
  editor:keys("u"):wait_text("eins two\ndrei four"):keys("u"):wait_text("eins two\nthree four"):quit()
end

function tests.dot_repeats_a_selection_and_a_choice_of_the_menu()
  local editor = Editor.new({
    lines = { "one two", "three four" }, methods = { ["assistant/summarize"] = { Answer("short") } },
  })
  editor:lua([[
    vim.ui.select = function(items, options, done)
      for _, item in ipairs(items) do
        if options.format_item(item) == "Summarize: headline" then return done(item) end
      end
    end
  ]])
  editor:keys("VgZ"):wait_done():keys("<C-c>j."):wait_done()
  local sent = editor:sent("assistant/summarize")
  Equal({ sent[2].params.text, sent[2].params.style }, { "three four", "headline" })
  editor:quit()
end

function tests.ten_requests_at_once()
  local lines, plays = {}, {}
  for index = 1, 10 do
    lines[2 * index - 1], lines[2 * index] = "line " .. index, ""
    plays[index] = { { ["until"] = "assistant/countTokens" }, { result = { text = "LINE " .. index } } }
  end
  local editor = Editor.new({ lines = lines, methods = rephrase(plays) })
  for index = 1, 10 do
    editor:keys((2 * index - 1) .. "Ggzz"):wait_sent("assistant/rephrase", index)
  end
  Equal(editor:lua([[return require("inkling").status()]]), "Inkling: waiting (10)")
  editor:keys("7G:InklingStop<CR>"):wait_sent("$/cancelRequest")
  editor:lua([[require("inkling.client").request("assistant/countTokens", { text = "x" }, function() end)]])
  local expected = {}
  for index = 10, 1, -1 do
    expected[2 * index - 1], expected[2 * index] = (index == 4 and "line " or "LINE ") .. index, ""
    if index ~= 4 then
      editor:keys((2 * index - 1) .. "G"):wait_lua(
        ([[local task = require("inkling.task").at(1, %d) return task and task.state == "done"]]):format(2 * index - 2))
      editor:keys("gy")
    end
  end
  editor:wait_text(table.concat(expected, "\n"))
  Equal(#editor:sent("$/cancelRequest"), 1)
  Equal(editor:lua("return marks()"), 0)
  editor:keys("u")
  Equal(select(2, editor:text():gsub("LINE", "")), 8, "one undo, one answer")
  editor:quit()
end

function tests.two_answers_without_a_preview_are_two_undo_steps()
  local play = { { ["until"] = "assistant/countTokens" }, { result = { text = "NEW" } } }
  local editor = Editor.new({ lines = { "a", "", "b" }, settings = { preview = false }, methods = rephrase({ play }) })
  editor:keys("gzzGgzz"):wait_sent("assistant/rephrase", 2)
  editor:lua([[require("inkling.client").request("assistant/countTokens", { text = "x" }, function() end)]])
  editor:wait_text("NEW\n\nNEW"):keys("u")
  Equal(select(2, editor:text():gsub("NEW", "")), 1)
  editor:keys("u"):wait_text("a\n\nb"):quit()
end

function tests.an_answer_does_not_come_into_what_is_being_typed()
  local editor = Editor.new({
    lines = { "a", "", "b" }, settings = { preview = false },
    methods = rephrase({ { { ["until"] = "assistant/countTokens" }, { result = { text = "NEW" } } } }),
  })
  editor:keys("gzzGAmore"):lua([[
    answered = false
    require("inkling.client").request("assistant/countTokens", { text = "x" }, function() answered = true end)
  ]])
  editor:wait_lua("return answered"):wait_lua([[
    return require("inkling.task").of_buffer(1)[1].state == "done"
  ]]):keys("!")
  Equal(editor:text(), "a\n\nbmore!")
  editor:keys("<Esc>"):wait_text("NEW\n\nbmore!"):keys("u"):wait_text("a\n\nbmore!"):keys("u"):wait_text("a\n\nb")
  editor:quit()
end

function tests.a_cancelled_request_inserts_nothing_later()
  local editor = Editor.new({
    lines = { "a", "", "b" }, settings = { preview = false },
    methods = rephrase({ {
      { text = "NE" }, { ["until"] = "$/cancelRequest", heedless = true }, { text = "W", offset = 2 },
      { result = { text = "NEW" } },
    } }, { ["assistant/countTokens"] = { { { result = { tokens = 1 } } } } }),
  })
  editor:keys("gzz"):wait_sent("assistant/rephrase")
  editor:keys(":InklingStop<CR>"):wait_sent("$/cancelRequest")
  -- What the daemon sends after this was sent after its late answer.
  Wait(function()
    local log = table.concat(vim.fn.readfile(editor.log_path), "\n")
    return log:find('"text": "NEW"', 1, true)
  end, "the late answer")
  editor:lua([[
    later = false
    require("inkling.client").request("assistant/countTokens", { text = "x" }, function() later = true end)
  ]])
  editor:wait_lua("return later")
  Equal(editor:text(), "a\n\nb")
  Equal(editor:lua("return marks()"), 0)
  editor:quit()
end

function tests.stop_all_and_stop_without_anything()
  local editor = Editor.new({ lines = { "a", "", "b" }, methods = rephrase({ waits }) })
  editor:keys(":InklingStop<CR>"):wait_message("nothing is at work here")
  editor:keys("gzzGgzz"):wait_sent("assistant/rephrase", 2)
  editor:keys(":InklingStop!<CR>"):wait_sent("$/cancelRequest", 2)
  Equal(editor:lua("return marks()"), 0)
  editor:quit()
end

function tests.the_answer_goes_to_its_own_buffer()
  local editor = Editor.new({
    lines = { "a" }, settings = { preview = false },
    methods = rephrase({ { { ["until"] = "assistant/countTokens" }, { result = { text = "NEW" } } } }),
  })
  editor:ex("set hidden")
  editor:keys("gzz:enew<CR>iother<Esc>")
  editor:lua([[require("inkling.client").request("assistant/countTokens", { text = "x" }, function() end)]])
  editor:wait_lua([[return vim.api.nvim_buf_get_lines(1, 0, -1, true)[1] == "NEW"]])
  Equal(editor:text(), "other")
  editor:keys(":b1<CR>u"):wait_text("a"):quit()
end

function tests.closing_a_buffer_cancels_its_requests()
  local editor = Editor.new({ lines = { "a" }, methods = rephrase({ waits }) })
  editor:keys("gzz"):wait_shown("half"):ex("bwipeout!")
  Equal(#editor:wait_sent("$/cancelRequest"), 1)
  editor:quit()
end

function tests.the_text_is_followed_through_edits_elsewhere()
  local editor = Editor.new({
    lines = { "x", "", "one two", "", "y" }, methods = rephrase({ Answer("eins zwei") }),
  })
  editor:keys("3Gwviwgz"):wait_done()
  Equal(editor:sent("assistant/rephrase")[1].params.text, "two")
  editor:keys("ggOnew<CR>lines<Esc>GAmore<Esc>5G0iNOT <Esc>"):keys("gy")
  editor:wait_text("new\nlines\nx\n\nNOT one eins zwei\n\nymore"):quit()
end

function tests.a_changed_text_is_asked_about()
  local editor = Editor.new({
    lines = { "one two" }, methods = rephrase({ Answer("eins zwei"), Answer("three"), Answer("four") }),
  })
  editor:keys("gzz"):wait_done():keys("wi more<Esc>")
  local mine = "one  moretwo"
  editor:choose()
  editor:keys("gy"):wait_message("was changed since")
  Equal(editor:text(), mine)
  editor:choose("Keep my text")
  editor:keys("gy")
  Equal(editor:text(), mine)
  editor:wait_shown("eins zwei")
  editor:choose("Ask again")
  editor:keys("gy"):wait_shown("three"):wait_done()
  Equal(editor:sent("assistant/rephrase")[2].params.text, mine)
  editor:keys("x"):keys("g."):wait_shown("four"):wait_done():keys("x")
  editor:choose("Replace it")
  mine = editor:text()
  editor:keys("gy"):wait_text("four"):keys("u"):wait_text(mine):quit()
end

function tests.lines_stay_whole()
  local editor = Editor.new({ lines = { "a", "b", "c", "d" }, methods = rephrase({ Answer("X\nY") }) })
  local count = 1
  local function retried(keys)
    count = count + 1
    editor:keys(keys):keys("g."):wait_sent("assistant/rephrase", count)
    editor:wait_done()
    return editor:sent("assistant/rephrase")[count].params.text
  end
  editor:keys("2GVjgz"):wait_done()
  Equal(retried("Ix<Esc>3GAy<Esc>"), "xb\ncy", "what is typed at the edges is in them")
  Equal(retried("2GOabove<Esc>4Gobelow<Esc>k"), "xb\ncy", "lines above and below are not")
  Equal(retried("ddk"), "xb", "without the last line")
  Equal(editor:text(), "a\nabove\nxb\nbelow\nd")
  editor:quit()
end

function tests.the_question_about_a_changed_text_is_harmless_by_default()
  local editor = Editor.new({ lines = { "one two" }, methods = rephrase({ Answer("eins zwei") }) })
  editor:keys("gzz"):wait_done():keys("ix<Esc>")
  editor:keys("gy<CR>")
  Equal(editor:text(), "xone two")
  editor:keys("gy1<CR>")
  Equal(editor:text(), "xone two")
  editor:wait_shown("eins zwei"):keys("gy3<CR>"):wait_text("eins zwei"):quit()
end

function tests.a_deleted_text_is_refused()
  local editor = Editor.new({ lines = { "a", "b", "c" }, methods = rephrase({ Answer("B") }) })
  editor:keys("jVgz"):wait_done():keys("dd")
  Equal(editor:lua([[return require("inkling.accept").accept(require("inkling.task").of_buffer(1)[1])]]), false)
  editor:wait_message("the text is gone")
  Equal(editor:text(), "a\nc")
  editor:quit()
end

function tests.a_newer_request_takes_the_place_of_an_older_one()
  local editor = Editor.new({ lines = { "one two" }, methods = rephrase({ waits, Answer("zwei") }) })
  editor:keys("gzz"):wait_shown("half"):keys("gzz"):wait_sent("$/cancelRequest")
  editor:wait_done():keys("gy"):wait_text("zwei"):quit()
end

function tests.keys_are_there_only_at_a_preview_and_come_back()
  local editor = Editor.new({ lines = { "one", "", "two" }, methods = rephrase({ Answer("eins") }) })
  editor:lua([[
    pressed = 0
    vim.keymap.set("n", "gy", function() pressed = pressed + 1 end, { buffer = 0 })
  ]])
  editor:keys("gzz"):wait_done()
  editor:keys("G"):keys("gy")
  Equal(editor:lua("return pressed"), 1)
  Equal(editor:text(), "one\n\ntwo")
  editor:keys("gg"):keys("gy"):wait_text("eins\n\ntwo"):keys("gy")
  Equal(editor:lua("return pressed"), 2)
  Equal(editor:lua([[return vim.fn.maparg("g.", "n")]]), "")
  editor:quit()
end

function tests.keys_that_are_mapped_are_left_alone()
  local editor = Editor.new({ lines = { "one" } })
  Equal(editor:lua([[
    vim.keymap.del("n", "gz")
    vim.keymap.set("n", "gz", "<Cmd>let g:mine = 1<CR>")
    require("inkling").map()
    return vim.fn.maparg("gz", "n")
  ]]), "<Cmd>let g:mine = 1<CR>")
  editor:quit()
end

function tests.settings_that_come_late_change_the_keys()
  local editor = Editor.new({ lines = { "one" } })
  Equal(editor:lua([[
    local found = { vim.fn.maparg("gz", "x") }
    require("inkling").setup({ mappings = { rephrase = "gs" }, keys = false })
    for _, key in ipairs({ "gz", "gs", "gss", "gZ" }) do table.insert(found, vim.fn.maparg(key, "n")) end
    require("inkling").setup({ mappings = false })
    for _, key in ipairs({ "gs", "gZ" }) do table.insert(found, vim.fn.maparg(key, "n")) end
    return found
  ]]), {
    "<Plug>(inkling-rephrase)", "", "<Plug>(inkling-rephrase)", "<Plug>(inkling-rephrase-paragraph)",
    "<Plug>(inkling-menu)", "", "",
  })
  editor:quit()
end

function tests.leaving_the_editor_leaves_no_process()
  local editor = Editor.new({ lines = { "a" }, methods = rephrase({ waits }) })
  editor:keys("gzz"):wait_shown("half")
  local children = editor:lua([[return vim.api.nvim_get_proc_children(vim.fn.getpid())]])
  Equal(#children, 1)
  editor:quit()
  Wait(function()
    return vim.api.nvim_get_proc(children[1]) == nil
  end, "the end of the daemon's process")
  Equal(#editor:sent("exit"), 1)
end

return tests
