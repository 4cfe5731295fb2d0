-- Single changes of an answer, taken in the text or in the difference.
local tests = {}

local source = { "x", "gonna be late tmrw, sorry", "bring teh cake", "", "y" }
local answer = "I will be late tomorrow, sorry\nbring the cake"

local function editor_with(words, more)
  local options = vim.tbl_extend("force", { lines = source, methods = { ["assistant/rephrase"] = { Answer(words) } } },
    more or {})
  local editor = Editor.new(options)
  editor:keys("2GVjgz"):wait_done()
  return editor
end

local function with(first, second)
  return ("x\n%s\n%s\n\ny"):format(first, second)
end

function tests.one_change_is_taken_and_the_others_stay()
  local editor = editor_with(answer)
  editor:wait_shown("gl one change")
  editor:keys("2Gfl"):keys("gl"):wait_text(with("gonna be late tomorrow, sorry", "bring teh cake"))
  editor:wait_shown("I will be late tomorrow, sorry")
  editor:keys("3G$"):keys("gl"):wait_text(with("gonna be late tomorrow, sorry", "bring the cake"))
  editor:keys("2G0"):keys("gl"):wait_text(with("I will be late tomorrow, sorry", "bring the cake"))
  Equal(editor:lua("return marks()"), 0, "the last one ends it")
  for _, before in ipairs({
    with("gonna be late tomorrow, sorry", "bring the cake"), with("gonna be late tomorrow, sorry", "bring teh cake"),
    table.concat(source, "\n"),
  }) do
    editor:keys("u"):wait_text(before)
  end
  Equal(editor:lua("return marks()"), 0)
  editor:quit()
end

function tests.a_change_at_the_very_beginning_and_end_of_the_text()
  local editor = Editor.new({
    lines = { "say teh cat or dgo now" }, methods = { ["assistant/rephrase"] = { Answer("the cat or dog") } },
  })
  editor:keys("wv4egz"):wait_done()
  editor:keys("0w"):keys("gl"):wait_text("say the cat or dgo now"):keys("u"):wait_text("say teh cat or dgo now")
  editor:keys("gl"):wait_text("say the cat or dgo now"):keys("fd"):keys("gl"):wait_text("say the cat or dog now")
  Equal(editor:lua("return marks()"), 0)
  editor:quit()
end

function tests.after_some_changes_the_rest_is_accepted_at_once()
  local editor = editor_with(answer)
  editor:keys("3Gw"):keys("gl"):wait_text(with("gonna be late tmrw, sorry", "bring the cake"))
  editor:keys("gy"):wait_text(with("I will be late tomorrow, sorry", "bring the cake"))
  editor:keys("u"):wait_text(with("gonna be late tmrw, sorry", "bring the cake"))
  editor:keys("u"):wait_text(table.concat(source, "\n")):quit()
end

function tests.a_change_that_was_taken_and_undone_can_be_taken_again()
  local editor = editor_with(answer)
  editor:keys("2G0"):keys("gl"):keys("u"):wait_text(table.concat(source, "\n"))
  editor:keys("gl"):wait_text(with("I will be late tmrw, sorry", "bring teh cake")):keys("u")
  editor:keys("gy"):wait_text(with("I will be late tomorrow, sorry", "bring the cake"))
  Equal(editor:messages():find("was changed", 1, true), nil)
  editor:quit()
end

function tests.the_rest_left_out_leaves_what_was_taken()
  local editor = editor_with(answer)
  editor:keys("3G"):keys("gl"):wait_text(with("gonna be late tmrw, sorry", "bring the cake")):keys("<C-c>")
  Equal(editor:lua("return marks()"), 0)
  Equal(editor:text(), with("gonna be late tmrw, sorry", "bring the cake"))
  editor:quit()
end

function tests.a_change_is_taken_beside_what_was_edited_meanwhile()
  local editor = editor_with(answer)
  editor:keys("2GA!<Esc>"):keys("3G"):keys("gl")
  editor:wait_text(with("gonna be late tmrw, sorry!", "bring the cake"))
  -- To take all of the answer would take the ! away.
  editor:lua("vim.ui.select = function(_, options) table.insert(messages, options.prompt) end")
  editor:keys("gy"):wait_message("was changed since")
  Equal(editor:text(), with("gonna be late tmrw, sorry!", "bring the cake"))
  editor:quit()
end

function tests.changes_are_gone_through()
  local editor = editor_with(answer)
  local function cursor()
    return editor:request("nvim_win_get_cursor", 0)
  end
  editor:keys("2G0"):keys("g}")
  Equal(cursor(), { 2, 14 })
  editor:keys("g}")
  Equal(cursor(), { 3, 6 })
  editor:keys("g}"):wait_message("no change comes after")
  editor:keys("g{")
  Equal(cursor(), { 2, 14 })
  editor:keys("``")
  Equal(cursor(), { 3, 6 })
  editor:quit()
end

function tests.what_would_change_is_marked_until_it_is_decided()
  local editor = editor_with(answer)
  local function marked()
    return editor:lua([[
      local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, require("inkling.text").namespace, 0, -1,
        { details = true })) do
        if mark[4].hl_group == "InklingChange" then
          table.insert(found, table.concat(vim.api.nvim_buf_get_text(0, mark[2], mark[3], mark[4].end_row,
            mark[4].end_col, {}), "\n"))
        end
      end
      return table.concat(found, "|")
    ]])
  end
  Equal(marked(), "gonna|tmrw,|teh")
  editor:keys("2G0cwI will<Esc>")
  Wait(function()
    return marked() == "tmrw,|teh"
  end, marked)
  editor:keys("gg"):keys("2G"):keys("<C-c>")
  Equal(marked(), "")
  editor:quit()
end

function tests.words_that_come_in_and_words_that_go()
  local editor = Editor.new({
    lines = { "é we really go" }, methods = { ["assistant/rephrase"] = { Answer("é oh we go now") } },
  })
  editor:keys("gzz"):wait_done():keys("w"):keys("gl"):wait_text("é oh we really go")
  editor:keys("fr"):keys("gl"):wait_text("é oh we go"):keys("$"):keys("gl"):wait_text("é oh we go now")
  editor:keys("uuu"):wait_text("é we really go"):quit()
end

function tests.words_side_by_side_are_one_change()
  local editor = Editor.new({
    lines = { "teh  dgo", "teh" }, methods = { ["assistant/rephrase"] = { Answer("the  dog\nthe") } },
  })
  editor:keys("gzz"):wait_done():keys("gl"):wait_text("the  dog\nteh"):quit()
end

function tests.a_hunk_of_the_difference_is_taken()
  local editor = Editor.new({
    lines = { "one", "b", "c", "d", "e", "f", "g", "h", "last" },
    methods = { ["assistant/rephrase"] = { Answer("zero\neins\nb\nc\nd\ne\nf\ng\nlast!") } },
  })
  editor:keys("gzz"):wait_done():keys("g="):wait_shown("+last!")
  editor:keys("G"):keys("gl"):wait_shown("+eins")
  Equal(editor:shown():find("+last!", 1, true), nil)
  editor:keys("q"):wait_text("one\nb\nc\nd\ne\nf\ng\nlast!")
  editor:keys("g="):wait_shown("+eins"):keys("gg"):keys("gl"):wait_text("zero\neins\nb\nc\nd\ne\nf\ng\nlast!")
  Equal(editor:lua("return marks() + #vim.api.nvim_list_wins()"), 1)
  editor:keys("u"):wait_text("one\nb\nc\nd\ne\nf\ng\nlast!"):keys("u")
  editor:wait_text("one\nb\nc\nd\ne\nf\ng\nh\nlast"):quit()
end

-- Each hunk alone leads to a text from which the others lead to the answer.
function tests.hunks_of_lines_of_many_texts()
  local editor = Editor.new({ lines = { "" } })
  Equal(editor:lua([[
    local diff, edits = require("inkling.diff"), require("inkling.edits")
    local seed, wrong = 7, {}
    local function random(limit)
      seed = (seed * 1103515245 + 12345) % 2147483648
      return math.floor(seed / 65536) % limit + 1
    end
    if #edits.between("", "a b") ~= 1 or edits.applied("a b", edits.between("a b", "")) ~= "" then return "empty" end
    local function words()
      local lines = {}
      for index = 1, random(6) do lines[index] = ("abc"):sub(1, random(3) - 1) .. (random(3) == 1 and "é" or "") end
      return table.concat(lines, "\n")
    end
    for _ = 1, 400 do
      local source, answer = words(), words()
      local text, count = source, 0
      while true do
        local hunks = vim.diff(text .. "\n", answer .. "\n", { result_type = "indices" })
        if #hunks == 0 then break end
        text = edits.applied(text, { diff.change(text, answer, hunks[random(#hunks)]) }) or "nothing"
        count = count + 1
        if edits.applied(text, edits.between(text, answer)) ~= answer then return { text, answer } end
        if count > 20 then table.insert(wrong, { source, answer }) break end
      end
    end
    return wrong
  ]]), {})
  editor:quit()
end

function tests.without_single_changes_it_says_so()
  local editor = Editor.new({ lines = { "a", "b" }, methods = { ["assistant/summarize"] = { Answer("c") } } })
  editor:keys("V:Inkling summarize<CR>"):wait_done():keys("gl"):wait_message("there are no single changes"):quit()
  editor = editor_with("gonna be late tmrw, sorry\nbring the cake")
  editor:keys("2G"):keys("gl"):wait_message("there is no change in this line"):quit()
end

return tests
