-- Places and settings that plugins forget.
local tests = {}

local function rephrase(...)
  return { ["assistant/rephrase"] = { ... } }
end

local function errors(editor)
  return editor:lua("return vim.v.errmsg") .. "|" .. editor:messages()
end

local long = ("A longer line of the answer.\n"):rep(20)

-- Answers while something else goes on: the request waits for the next call of `go`.
local function held(words)
  return { { ["until"] = "assistant/countTokens" }, { result = { text = words } } }
end

local function go(editor)
  editor:lua([[require("inkling.client").request("assistant/countTokens", { text = "x" }, function() end)]])
end

local function wait_finished(editor)
  editor:wait_lua([[
    local task = require("inkling.task").all()[1]
    return not task or task.state == "done"
  ]])
end

function tests.in_the_command_line_window()
  local editor = Editor.new({ lines = { "one two", "", "x" }, methods = rephrase(held(long), Answer("eins")) })
  editor:keys("gzz"):wait_sent("assistant/rephrase")
  editor:keys("q:iecho 1<Esc>")
  go(editor)
  wait_finished(editor)
  editor:keys("gzz"):wait_sent("assistant/rephrase", 2)
  editor:wait_lua([[
    local tasks = require("inkling.task").of_buffer(vim.api.nvim_get_current_buf())
    return tasks[1] and tasks[1].state == "done"
  ]])
  editor:keys("gy"):wait_text("eins")
  editor:keys("<C-c><C-c>"):wait_lua("return vim.fn.getcmdwintype() == ''"):keys("<Esc>")
  editor:keys("gg"):wait_shown("A longer line"):keys("gy")
  Equal(editor:text():find("A longer line", 1, true), 1)
  Equal(errors(editor), "|")
  editor:quit()
end

function tests.without_a_preview_while_the_command_line_window_is_open()
  local editor = Editor.new({
    lines = { "one two", "", "x" }, settings = { preview = false }, methods = rephrase(held("eins")),
  })
  editor:keys("gzz"):wait_sent("assistant/rephrase")
  editor:keys("q:")
  go(editor)
  editor:wait_lua([[return vim.api.nvim_buf_get_lines(1, 0, 1, true)[1] == "eins"]]):keys(":quit<CR>")
  editor:wait_text("eins\n\nx"):keys("u"):wait_text("one two\n\nx")
  Equal(errors(editor), "|")
  editor:quit()
end

function tests.an_answer_that_comes_while_another_tab_is_shown()
  local editor = Editor.new({ lines = { "one two" }, methods = rephrase(held(long)) })
  editor:keys("gzz"):wait_sent("assistant/rephrase")
  editor:ex("tabnew")
  go(editor)
  wait_finished(editor)
  Equal(editor:lua("return #vim.api.nvim_tabpage_list_wins(0)"), 1)
  editor:ex("tabprevious")
  editor:wait_shown("A longer line"):keys("gy")
  Equal(editor:text():find("A longer line", 1, true), 1)
  Equal(editor:lua("return #vim.api.nvim_list_wins()"), 2)
  editor:quit()
end

function tests.a_terminal_and_a_quickfix_window()
  local editor = Editor.new({ lines = { "one two" }, methods = { ["assistant/summarize"] = { Answer("short") } } })
  editor:ex("terminal echo words; read x")
  editor:wait_lua([[return vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == "words"]])
  editor:keys("gggzz"):wait_message("this buffer cannot be changed")
  editor:keys(":Inkling! summarize to=yank<CR>"):wait_lua([[return vim.fn.getreg('"') == "short"]])
  editor:ex("bwipeout!")
  editor:lua([[vim.fn.setqflist({ { text = "words" } }); vim.cmd("copen"); messages = {}]])
  editor:keys("gzz"):wait_message("this buffer cannot be changed"):quit()
end

function tests.fileformat_mac_and_virtualedit()
  local editor = Editor.new({ bytes = "one\rtwo\rthree\r", methods = rephrase(Answer("1\n2"), Answer("drei")) })
  editor:ex("edit ++ff=mac")
  editor:keys("Vjgz"):wait_done()
  Equal(editor:sent("assistant/rephrase")[1].params.text, "one\ntwo")
  editor:keys("gy")
  Equal(editor:bytes(), "1\r2\rthree\r")
  editor:ex("set virtualedit=all")
  editor:keys("G0v20lgz"):wait_done()
  Equal(editor:sent("assistant/rephrase")[2].params.text, "three")
  editor:keys("gy"):wait_text("1\n2\ndrei"):quit()
end

function tests.autocommands_of_the_user_that_fail()
  local editor = Editor.new({
    lines = { "one two", "", "x" }, methods = rephrase(Answer("eins zwei")), troubled = true,
  })
  for _, event in ipairs({ "OptionSet", "WinNew", "BufEnter" }) do
    editor:ex(("autocmd %s * throw 'of the user'"):format(event))
  end
  editor:keys("gzz"):wait_done():lua([[
    accepted = require("inkling.accept").accept(require("inkling.task").all()[1])
  ]])
  editor:wait_text("eins zwei\n\nx")
  Equal(editor:lua("return accepted and marks()"), 0)
  editor:keys("u"):wait_text("one two\n\nx"):quit()
end

function tests.while_the_completion_menu_is_open()
  local editor = Editor.new({
    lines = { "one two", "", "oneself" }, settings = { preview = false }, methods = rephrase(held("eins")),
  })
  editor:keys("gzz"):wait_sent("assistant/rephrase")
  editor:keys("GAone<BS><BS><BS> on<C-n>"):wait_lua("return vim.fn.pumvisible() == 1")
  go(editor)
  wait_finished(editor)
  Equal(editor:lua("return vim.fn.pumvisible()"), 1)
  Equal(editor:lua("return vim.api.nvim_buf_get_lines(0, 0, 1, true)[1]"), "one two")
  editor:keys("<C-y><Esc>"):wait_lua([[return vim.fn.getline(1) == "eins"]]):keys("u")
  editor:wait_lua([[return vim.fn.getline(1) == "one two" and vim.fn.getline(3) ~= "oneself"]]):quit()
end

function tests.recorded_and_played()
  local editor = Editor.new({
    lines = { "one two", "", "three" }, settings = { preview = false },
    methods = rephrase(Answer("eins"), Answer("drei")),
  })
  editor:keys("qagzz2jq"):wait_text("eins\n\nthree")
  Equal(editor:lua([[return vim.fn.getreg("a")]]), "gzz2j")
  editor:keys("@a"):wait_text("eins\n\ndrei"):quit()
end

function tests.with_global()
  local plays = {}
  for index = 1, 4 do
    plays[index] = Answer("NEW " .. index)
  end
  local editor = Editor.new({
    lines = { "a", "", "no", "", "a", "", "a" }, methods = { ["assistant/rephrase"] = plays },
  })
  editor:keys(":g/a/Inkling! rephrase<CR>"):wait_lua([[
    return #vim.tbl_filter(function(line) return line:find("NEW") end, vim.api.nvim_buf_get_lines(0, 0, -1, true)) == 3
  ]])
  Equal(editor:lua("return vim.fn.getline(3)"), "no")
  editor:keys("uuu"):wait_text("a\n\nno\n\na\n\na"):quit()
end

function tests.undo_that_outlives_the_buffer()
  local editor = Editor.new({ lines = { "one two" }, methods = rephrase(Answer("eins zwei")) })
  editor:lua([[vim.o.undodir = ...; vim.o.undofile = true]], Folder)
  editor:ex("edit")
  editor:keys("gzz"):wait_done():keys("gy"):wait_text("eins zwei")
  editor:ex("write")
  editor:ex("bwipeout")
  editor:ex("edit " .. editor.path)
  editor:keys("u"):wait_text("one two"):keys("<C-r>"):wait_text("eins zwei"):quit()
end

function tests.a_buffer_that_is_read_again()
  local editor = Editor.new({ lines = { "one two" }, methods = rephrase(Answer("eins zwei")) })
  editor:keys("gzz"):wait_done():ex("edit!")
  editor:wait_lua([[return vim.fn.maparg("gy", "n") == "" and marks() == 0]])
  editor:keys("gzz"):wait_done()
  vim.fn.writefile({ "changed", "outside" }, editor.path)
  editor:lua([[vim.o.autoread = true; vim.cmd("checktime")]])
  editor:wait_text("changed\noutside"):choose():keys("gggy")
  Equal(editor:text(), "changed\noutside")
  editor:ex("set hidden")
  editor:ex("enew")
  editor:ex("bunload! #")
  Equal(editor:lua([[return #require("inkling.task").all()]]), 0)
  Equal(editor:lua("return vim.v.errmsg"), "")
  editor:quit()
end

function tests.a_mapping_that_comes_while_a_preview_is_shown_stays()
  local editor = Editor.new({ lines = { "one two" }, methods = rephrase(Answer("eins zwei")) })
  editor:keys("gzz"):wait_done()
  editor:ex("nnoremap <buffer> gl <Cmd>let g:mine = 1<CR>")
  editor:keys("<C-c>")
  Equal(editor:lua([[return vim.fn.maparg("gl", "n")]]), "<Cmd>let g:mine = 1<CR>")
  editor:quit()
end

function tests.a_window_of_a_long_answer_that_was_closed()
  local editor = Editor.new({ lines = { "one two" }, methods = rephrase(Answer(long)) })
  editor:keys("gzz"):wait_done():wait_shown("A longer line"):keys("gL"):ex("quit")
  editor:keys("gL"):wait_shown("A longer line"):ex("wincmd p")
  editor:ex("only")
  editor:keys("gy")
  Equal(editor:text():find("A longer line", 1, true), 1)
  Equal(errors(editor), "|")
  editor:quit()
end

function tests.in_a_tiny_window()
  local editor = Editor.new({ lines = { "one two" }, width = 14, height = 5, methods = rephrase(Answer(long)) })
  editor:keys("gzz")
  wait_finished(editor)
  editor:keys("g="):keys("q"):keys("gy")
  Equal(editor:text():find("A longer line", 1, true), 1)
  Equal(editor:lua("return vim.v.errmsg"), "")
  editor:quit()
end

function tests.folds_that_follow_the_text()
  for _, method in ipairs({ "indent", "marker", "syntax", "expr" }) do
    local editor = Editor.new({
      lines = { "a", "\tb {{{", "\tc }}}", "d" }, methods = rephrase(Answer("\tB {{{\n\tnew\n\tC }}}")),
    })
    editor:ex("set foldlevel=0 foldexpr=getline(v:lnum)[0]==\"\\t\" foldmethod=" .. method)
    editor:keys("2GVjgz"):wait_done()
    editor:keys("gy"):wait_text("a\n\tB {{{\n\tnew\n\tC }}}\nd"):keys("u"):wait_text("a\n\tb {{{\n\tc }}}\nd")
    Equal(errors(editor), "|", method)
    editor:quit()
  end
end

return tests
