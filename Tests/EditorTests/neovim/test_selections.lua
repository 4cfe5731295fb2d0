-- What is taken for the text, to the byte, and what becomes of it.
local tests = {}

local function rephrase(plays)
  return { ["assistant/rephrase"] = plays }
end

-- Plays keys that end with a request, accepts, undoes; the bytes of the file are those of the start then.
local function round(options)
  local editor = Editor.new(options)
  local before = editor:bytes()
  editor:keys(options.keys)
  Equal(editor:wait_sent("assistant/rephrase")[1].params.text, options.sent, "sent")
  editor:wait_done()
  Equal(editor:bytes(), before, "before it is accepted")
  editor:keys("gy")
  if options.after then
    editor:wait_text(options.after)
  end
  Equal(editor:lua("return marks()"), 0, "marks left")
  editor:keys("u")
  Equal(editor:bytes(), before, "after undo")
  Equal(editor:lua("return marks()"), 0, "marks left after undo")
  editor:quit()
end

function tests.characters()
  round({
    lines = { "one two three", "four" }, keys = "wviwgz", sent = "two",
    methods = rephrase({ Answer("zwei") }), after = "one zwei three\nfour",
  })
end

function tests.characters_over_lines_go_exactly_to_the_last_one()
  round({
    lines = { "one two three", "four five six", "seven" }, keys = "wvjegz", sent = "two three\nfour five",
    methods = rephrase({ Answer("2 3\n4 5") }), after = "one 2 3\n4 5 six\nseven",
  })
end

function tests.lines()
  round({
    lines = { "a", "b b", "c" }, keys = "jVgz", sent = "b b", methods = rephrase({ Answer("B") }), after = "a\nB\nc",
  })
end

function tests.lines_with_a_command()
  round({
    lines = { "a", "b b", "c" }, keys = "jVj:Inkling rephrase formal<CR>", sent = "b b\nc",
    methods = rephrase({ Answer("B\nC") }), after = "a\nB\nC",
  })
end

function tests.characters_with_a_command()
  round({
    lines = { "one two three" }, keys = "wviw:Inkling rephrase formal<CR>", sent = "two",
    methods = rephrase({ Answer("zwei") }), after = "one zwei three",
  })
end

function tests.a_motion_and_a_text_object()
  round({
    lines = { "say (some words) now" }, keys = "f(gzi(", sent = "some words",
    methods = rephrase({ Answer("a word") }), after = "say (a word) now",
  })
end

function tests.the_paragraph_at_the_cursor()
  round({
    lines = { "x", "", "one", "two", "", "y" }, keys = "3G:Inkling rephrase<CR>", sent = "one\ntwo",
    methods = rephrase({ Answer("1\n2") }), after = "x\n\n1\n2\n\ny",
  })
end

function tests.the_paragraph_with_two_keys()
  round({
    lines = { "x", "", "one", "two", "", "y" }, keys = "3Ggzz", sent = "one\ntwo",
    methods = rephrase({ Answer("1\n2") }), after = "x\n\n1\n2\n\ny",
  })
end

function tests.the_whole_buffer()
  round({
    lines = { "one", "", "two" }, keys = ":%Inkling rephrase<CR>", sent = "one\n\ntwo",
    methods = rephrase({ Answer("1\n\n2") }), after = "1\n\n2",
  })
end

function tests.the_beginning_and_the_end_of_the_buffer()
  round({
    lines = { "ab cd" }, keys = "gg0vgz", sent = "a", methods = rephrase({ Answer("A") }), after = "Ab cd",
  })
  round({
    lines = { "ab", "cd ef" }, keys = "G$vbgz", sent = "ef", methods = rephrase({ Answer("EF") }), after = "ab\ncd EF",
  })
end

function tests.a_last_line_without_an_end()
  round({
    bytes = "one\ntwo words", keys = "GVgz", sent = "two words", methods = rephrase({ Answer("2 w") }),
    after = "one\n2 w",
  })
end

function tests.crlf()
  round({
    bytes = "one\r\ntwo\r\nthree\r\n", keys = "Vjgz", sent = "one\ntwo", methods = rephrase({ Answer("1\n2") }),
    after = "1\n2\nthree",
  })
end

function tests.crlf_in_the_answer_does_not_become_a_character()
  local editor = Editor.new({
    bytes = "one\r\ntwo\r\n", methods = rephrase({ Answer("1\r\n2") }),
  })
  editor:keys("Vjgz"):wait_done():keys("gy")
  Equal(editor:bytes(), "1\r\n2\r\n")
  editor:quit()
end

function tests.emoji_and_combining_marks()
  local family = "👩‍👩‍👧"
  round({
    lines = { "héllo " .. family .. " wo\u{301}rld e\u{301} end" }, keys = "wvt gz", sent = family,
    methods = rephrase({ Answer("🎉") }), after = "héllo 🎉 wo\u{301}rld e\u{301} end",
  })
  round({
    lines = { "a e\u{301}", "b" }, keys = "$vgz", sent = "e\u{301}", methods = rephrase({ Answer("ö") }),
    after = "a ö\nb",
  })
end

function tests.selection_exclusive()
  local editor = Editor.new({ lines = { "one two three" }, methods = rephrase({ Answer("zwei") }) })
  editor:ex("set selection=exclusive")
  editor:keys("wvegz")
  Equal(editor:wait_sent("assistant/rephrase")[1].params.text, "two")
  editor:wait_done():keys("gy"):wait_text("one zwei three"):quit()
end

function tests.tabs_blanks_and_backslashes_stay()
  round({
    lines = { "\tx \\alpha  ", "", "\t\ty" }, keys = "VGgz", sent = "\tx \\alpha  \n\n\t\ty",
    methods = rephrase({ Answer("\tX \\alpha  \n\n\t\tY") }), after = "\tX \\alpha  \n\n\t\tY",
  })
end

function tests.fences_and_blank_lines_at_the_edges_stay()
  round({
    lines = { "", "```", "x", "```", "" }, keys = "ggVGgz", sent = "\n```\nx\n```\n",
    methods = rephrase({ Answer("\n```\ny\n```\n") }), after = "\n```\ny\n```\n",
  })
end

function tests.a_block_is_refused()
  local editor = Editor.new({ lines = { "abc", "def" } })
  editor:keys("<C-v>jlgz"):wait_message("a block cannot be taken")
  editor:keys("<Esc>1G<C-v>jl:Inkling rephrase<CR>")
  Wait(function()
    return #editor:lua("return messages") == 2
  end, "two refusals")
  Equal(editor:text(), "abc\ndef")
  editor:quit()
end

function tests.no_text_is_refused()
  local editor = Editor.new({ lines = { "", "x" } })
  editor:keys(":Inkling rephrase<CR>"):wait_message("there is no text here")
  Equal(#editor:sent("assistant/rephrase"), 0)
  editor:quit()
end

function tests.what_is_not_utf8_is_refused()
  local editor = Editor.new({ bytes = "ab\255\254cd\n" })
  editor:ex("edit ++enc=utf-8 ++bad=keep " .. editor.path)
  editor:keys("Vgz"):wait_message("not valid UTF-8"):quit()
  editor = Editor.new({ bytes = "ab\0cd\n" })
  editor:keys("Vgz"):wait_message("NUL"):quit()
end

function tests.a_buffer_that_cannot_be_changed_is_refused()
  local editor = Editor.new({
    lines = { "one two" }, methods = { ["assistant/summarize"] = { Answer("short") } },
  })
  for _, option in ipairs({ "nomodifiable", "readonly" }) do
    editor:ex("set modifiable noreadonly")
    editor:ex("set " .. option)
    editor:lua("messages = {}")
    editor:keys("Vgz"):wait_message("cannot be changed")
  end
  editor:keys(":Inkling summarize to=yank<CR>"):wait_done():keys("gy")
  editor:wait_lua([[return vim.fn.getreg('"') == "short"]])
  Equal(editor:text(), "one two")
  editor:quit()
end

function tests.in_a_closed_fold()
  local editor = Editor.new({ lines = { "a", "b", "c", "d" }, methods = rephrase({ Answer("B\nC") }) })
  editor:ex("set foldmethod=manual")
  editor:ex("2,3fold")
  editor:keys("2GVgz"):wait_done()
  Equal(editor:sent("assistant/rephrase")[1].params.text, "b\nc")
  Equal(editor:lua("return vim.fn.foldclosed(2)"), 2, "the fold stays closed")
  editor:keys("gy"):wait_text("a\nB\nC\nd"):keys("u"):wait_text("a\nb\nc\nd"):quit()
end

return tests
