-- Where an answer goes, what a person can do with it before, and how it is taken back.
local tests = {}

local function rephrase(plays, more)
  return vim.tbl_extend("force", { ["assistant/rephrase"] = plays }, more or {})
end

local lines = { "First line.", "", "Some words here.", "", "Last." }

local function placed(placement, expected)
  local editor = Editor.new({ lines = lines, methods = rephrase({ Answer("New\nwords.") }) })
  local before = editor:bytes()
  editor:keys("3G:Inkling rephrase formal to=" .. placement .. "<CR>"):wait_done():keys("gy")
  editor:wait_text(table.concat(expected, "\n")):keys("u")
  Equal(editor:bytes(), before)
  Equal(editor:lua("return marks()"), 0)
  editor:quit()
end

function tests.placed_instead()
  placed("replace", { "First line.", "", "New", "words.", "", "Last." })
end

function tests.placed_below()
  placed("below", { "First line.", "", "Some words here.", "", "New", "words.", "", "Last." })
end

function tests.placed_above()
  placed("above", { "First line.", "", "New", "words.", "", "Some words here.", "", "Last." })
end

function tests.placed_below_the_last_line_and_above_the_first()
  local editor = Editor.new({ bytes = "a\nb", methods = rephrase({ Answer("x") }) })
  editor:keys("GV:Inkling rephrase formal to=below<CR>"):wait_done():keys("gy"):wait_text("a\nb\n\nx")
  editor:keys("ggV:Inkling rephrase formal to=above<CR>"):wait_done():keys("gy"):wait_text("x\n\na\nb\n\nx"):quit()
end

function tests.placed_in_a_buffer()
  local editor = Editor.new({ lines = lines, methods = rephrase({ Answer("New\nwords.") }) })
  editor:keys("3G:Inkling rephrase formal to=buffer<CR>"):wait_done():keys("gy"):wait_text("New\nwords.")
  Equal(editor:lua("return #vim.api.nvim_list_wins()"), 2)
  editor:ex("wincmd p")
  Equal(editor:text(), table.concat(lines, "\n"))
  editor:quit()
end

function tests.echoed()
  local editor = Editor.new({ lines = lines, methods = rephrase({ Answer("New words."), Answer("Two\nlines") }) })
  editor:keys("3G:Inkling! rephrase formal to=echo<CR>")
  editor:wait_lua([[return vim.fn.execute("messages"):find("New words.", 1, true) ~= nil]])
  editor:keys(":Inkling! rephrase formal to=echo<CR>"):wait_shown("Two\nlines"):keys("q")
  Equal(editor:text(), table.concat(lines, "\n"))
  editor:quit()
end

function tests.yanked()
  local editor = Editor.new({
    lines = lines, settings = { register = "a" }, methods = rephrase({ Answer("New\nwords.") }),
  })
  editor:keys("3Ggzz"):wait_done():keys("gY")
  editor:wait_lua([[return vim.fn.getreg("a") == "New\nwords."]])
  editor:lua([[vim.fn.setreg("a", "")]])
  editor:keys("<C-c>"):keys("3G:Inkling! rephrase formal to=yank<CR>")
  editor:wait_lua([[return vim.fn.getreg("a") == "New\nwords."]])
  Equal(editor:text(), table.concat(lines, "\n"))
  editor:quit()
end

function tests.an_unknown_placement_is_refused()
  local editor = Editor.new({ lines = lines })
  editor:keys(":Inkling rephrase to=here<CR>"):wait_message("there is no placement “here”"):quit()
end

function tests.a_summary_goes_below_and_leaves_its_source_bright()
  local editor = Editor.new({ lines = lines, methods = { ["assistant/summarize"] = { Answer("- a\n- b") } } })
  editor:keys("3G:Inkling summarize bullets 2<CR>"):wait_done()
  local params = editor:sent("assistant/summarize")[1].params
  Equal({ params.style, params.count, params.text }, { "bullets", 2, "Some words here." })
  editor:keys("gy"):wait_text("First line.\n\nSome words here.\n\n- a\n- b\n\nLast."):quit()
end

function tests.a_brainstorm_of_a_topic()
  local editor = Editor.new({
    lines = lines,
    methods = { ["assistant/brainstorm"] = { {
      { snapshot = { concepts = { "A light", "A sh" } } }, { seconds = 30 },
    }, {
      { result = { rendered = "1. A light\n2. A ship", value = { concepts = { "A light", "A ship" } } } },
    } } },
  })
  editor:ex("set filetype=markdown")
  editor:keys("3G:Inkling brainstorm ideas 2 a lighthouse<CR>"):wait_shown("concepts:\n- A light\n- A sh")
  local params = editor:sent("assistant/brainstorm")[1].params
  Equal({ params.topic, params.kind, params.count, params.format }, { "a lighthouse", "ideas", 2, "markdown" })
  editor:keys("g."):wait_done():keys("gy")
  editor:wait_text("First line.\n\nSome words here.\n\n1. A light\n2. A ship\n\nLast."):quit()
end

function tests.a_brainstorm_asks_for_its_topic_or_takes_the_selection()
  local editor = Editor.new({
    lines = lines, methods = { ["assistant/brainstorm"] = { { { result = { rendered = "x" } } } } },
  })
  editor:keys("3G:Inkling brainstorm tags<CR>a whale<CR>"):wait_done()
  Equal(editor:sent("assistant/brainstorm")[1].params.topic, "a whale")
  editor:keys("<C-c>3GV:Inkling brainstorm tags<CR>"):wait_done()
  Equal(editor:sent("assistant/brainstorm")[2].params.topic, "Some words here.")
  editor:quit()
end

function tests.a_command_of_the_configuration()
  local editor = Editor.new({
    lines = lines, methods = { ["assistant/command"] = { { { result = { id = "commit", text = "Fix it" } } } } },
  })
  editor:keys("3G:Inkling commit<CR>"):wait_shown("Commit message"):wait_done()
  local params = editor:sent("assistant/command")[1].params
  Equal({ params.id, params.text }, { "commit", "Some words here." })
  editor:keys("gy"):wait_text("First line.\n\nSome words here.\n\nFix it\n\nLast."):quit()
end

function tests.the_edits_of_the_result_are_applied_and_marks_and_cursor_stay()
  local editor = Editor.new({
    lines = { "α one two", "three four", "five" },
    methods = rephrase({ Answer("α eins two\nthree vier\nfive", {
      edits = { { start = 3, ["end"] = 6, newText = "eins" }, { start = 17, ["end"] = 21, newText = "vier" } },
    }) }),
  })
  editor:keys("jma3|mbggVGgz"):wait_done():keys("jllgy"):wait_text("α eins two\nthree vier\nfive")
  Equal(editor:lua("return vim.fn.getpos(\"'b\")"), { 0, 2, 3, 0 })
  Equal(editor:request("nvim_win_get_cursor", 0), { 2, 2 })
  editor:keys("u"):wait_text("α one two\nthree four\nfive"):quit()
end

function tests.the_cursor_stays_at_a_replaced_word()
  local editor = Editor.new({ lines = { "x", "", "gonna go now" }, methods = rephrase({ Answer("I will go now") }) })
  editor:keys("Ggzz"):wait_done():keys("gy"):wait_text("x\n\nI will go now")
  Equal(editor:request("nvim_win_get_cursor", 0), { 3, 0 })
  editor:quit()
end

function tests.edits_in_utf16()
  local editor = Editor.new({
    lines = { "🎉 é one two" }, script = { encoding = "utf-16" },
    methods = rephrase({ {
      { text = "🎉 é o", offset = 0 }, { text = "eins", offset = 5 }, { text = " two", offset = 9 }, { seconds = 30 },
    }, Answer("🎉 é eins two", { edits = { { start = 5, ["end"] = 8, newText = "eins" } } }) }),
  })
  editor:keys("gzz"):wait_shown("🎉 é eins two"):keys("g."):wait_done():keys("gy"):wait_text("🎉 é eins two")
  editor:keys("u"):wait_text("🎉 é one two"):quit()
end

function tests.edits_that_do_not_lead_to_the_text_are_not_trusted()
  local editor = Editor.new({
    lines = { "one two" },
    methods = rephrase({ Answer("uno two", { edits = { { start = 4, ["end"] = 7, newText = "uno" } } }) }),
  })
  editor:keys("gzz"):wait_done():keys("gy"):wait_text("uno two"):quit()
end

function tests.rejected()
  local editor = Editor.new({ lines = lines, methods = rephrase({ Answer("New") }) })
  local tick = editor:lua("return vim.api.nvim_buf_get_changedtick(0)")
  editor:keys("gzz"):wait_done():keys("<C-c>")
  Equal(editor:lua("return marks()"), 0)
  Equal(editor:lua("return vim.api.nvim_buf_get_changedtick(0)"), tick)
  Equal(editor:lua([[return vim.fn.maparg("gy", "n")]]), "")
  editor:quit()
end

function tests.retried_and_turned()
  local editor = Editor.new({
    lines = lines, methods = rephrase({ Answer("Draft one"), Answer("Draft two"), Answer("Draft three") }),
  })
  editor:keys("gzz"):wait_done():keys("g."):wait_shown("2/2"):wait_shown("Draft two")
  local again = editor:sent("assistant/rephrase")[2].params
  Equal(again.options.temperature > 0 and again.options.seed ~= nil, true)
  editor:keys("g("):wait_shown("Draft one"):keys("g)"):wait_shown("Draft two")
  editor:keys("g)"):wait_shown("3/3"):wait_shown("Draft three")
  Equal(#editor:sent("assistant/rephrase"), 3)
  editor:keys("g("):wait_shown("2/3"):keys("gy"):wait_text("Draft two\n\nSome words here.\n\nLast."):quit()
end

function tests.a_failed_retry_leaves_the_first_answer()
  local editor = Editor.new({
    lines = lines,
    methods = rephrase({
      Answer("Draft one"), { { text = "half" }, { error = { code = 1008, message = "It refused." } } },
    }),
  })
  editor:keys("gzz"):wait_done():keys("g."):wait_message("It refused."):wait_shown("Draft one"):keys("gy")
  editor:wait_text("Draft one\n\nSome words here.\n\nLast."):quit()
end

function tests.alternatives_of_one_answer()
  local editor = Editor.new({
    lines = { "x y" }, settings = { alternatives = 2 },
    methods = rephrase({ Answer("a b", { alternatives = { "a b", "c d" } }) }),
  })
  editor:keys("gzz"):wait_shown("1/2"):keys("g)"):wait_shown("2/2"):keys("gy"):wait_text("c d"):quit()
end

function tests.instructions()
  local editor = Editor.new({ lines = lines, methods = rephrase({ Answer("Draft one"), Answer("Draft two") }) })
  editor:keys("V:Inkling rephrase formal -- keep it short<CR>"):wait_done():keys("g: please<CR>")
  editor:wait_shown("Draft two")
  local sent = editor:sent("assistant/rephrase")
  Equal({ sent[1].params.instructions, sent[2].params.instructions }, { "keep it short", "keep it short please" })
  editor:quit()
end

function tests.the_difference()
  local editor = Editor.new({ lines = { "one", "two" }, methods = rephrase({ Answer("one\nzwei") }) })
  editor:keys("gzz"):wait_done():keys("g="):wait_shown(" one\n-two\n+zwei"):keys("q"):keys("gy")
  editor:wait_text("one\nzwei"):quit()
end

function tests.without_a_preview()
  local editor = Editor.new({ lines = lines, settings = { preview = false }, methods = rephrase({ Answer("New") }) })
  editor:keys("gzz"):wait_text("New\n\nSome words here.\n\nLast."):keys("u")
  editor:wait_text(table.concat(lines, "\n")):quit()
end

function tests.warnings_are_shown()
  local editor = Editor.new({
    lines = lines,
    methods = rephrase({ Answer("New", { warnings = {
      { code = "retried", message = "Drawn again." }, { code = "unchanged", message = "“9” was lost." },
    } }) }),
  })
  editor:keys("gzz"):wait_shown("warning: “9” was lost.")
  Equal(editor:shown():find("Drawn again"), nil)
  editor:quit()
end

return tests
