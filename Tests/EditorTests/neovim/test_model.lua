-- What is chosen for longer than one request: the model, and conversations that are kept. And when nothing is read
-- ahead.
local tests = {}

local models = vim.json.encode({ models = {
  { name = "Small", path = "/m/small.gguf", inUse = true, sizeBytes = 98e6, fits = "yes", license = "apache-2.0" },
  { name = "Large one", path = "/m/large.gguf", inUse = false, sizeBytes = 5e9, fits = "tight" },
} })

local program = [[
case "$1 $2" in
"models list") echo '%s';;
"models use")
  case "$3" in
  /m/*) echo "$3 is the model from the next start on.";;
  *) echo "inkling: there is no model “$3”" >&2; exit 1;;
  esac;;
"status --json") %s;;
esac]]

local running = [[echo '{"model": {"model": {"sourcePath": "/m/small.gguf"}}}']]

local function told()
  return vim.fn.readfile(Folder .. "/told")
end

function tests.the_model_is_chosen_and_loaded()
  local editor = Editor.new({
    program = program:format(models, running),
    methods = { ["model/load"] = { {
      { ["until"] = "assistant/countTokens" }, { result = { model = { name = "L" } } },
    } } },
  })
  editor:choose("Large one", "Now"):keys(":InklingModel<CR>")
  Equal(editor:wait_sent("model/load")[1].params.path, "/m/large.gguf")
  editor:wait_message("* Small, 98 MB, apache-2.0, in use")
  editor:wait_message("* Large one, 5000 MB, fits into memory tightly")
  editor:wait_message("/m/large.gguf is the model from the next start on.")
  editor:wait_message("* Later: the daemon that runs")
  editor:lua([[require("inkling.client").request("assistant/countTokens", { text = "x" }, function() end)]])
  editor:wait_message("the model is L")
  Equal(told(), { "models list --json", "models use /m/large.gguf", "status --json" })
  Equal(editor:lua([[return require("inkling").status()]]), "")
  editor:quit()
end

function tests.the_model_is_not_loaded_unless_that_is_wanted()
  local editor = Editor.new({ program = program:format(models, running) })
  editor:choose():keys(":InklingModel Large one<CR>"):wait_message("* Now")
  editor:lua([[require("inkling.client").request("session/list", {}, function() after = true end)]])
  editor:wait_lua("return after")
  Equal(#editor:sent("model/load"), 0)
  editor:quit()
end

function tests.a_model_by_its_name_and_one_that_is_not_there()
  local editor = Editor.new({ program = program:format(models, "exit 3") })
  editor:choose():keys(":InklingModel Small<CR>"):wait_message("/m/small.gguf is the model")
  Wait(function()
    return told()[3]
  end, "the status to be asked for")
  editor:keys(":InklingModel nonsense<CR>"):wait_message("Inkling: there is no model “nonsense”")
  Wait(function()
    return vim.deep_equal(told(), {
      "models list --json", "models use /m/small.gguf", "status --json", "models list --json", "models use nonsense",
    })
  end, function()
    return vim.inspect(told())
  end)
  Equal(editor:messages():find("when is the model", 1, true), nil, "no daemon runs")
  Equal(editor:request("nvim_call_function", "getcompletion", { "InklingModel L", "cmdline" }), { "Large one" })
  editor:quit()
end

function tests.a_model_without_the_program()
  local editor = Editor.new({ command = { "/nowhere/inkling", "connect" } })
  editor:keys(":InklingModel<CR>"):wait_message("/nowhere/inkling could not be started")
  Equal(editor:request("nvim_call_function", "getcompletion", { "InklingModel L", "cmdline" }), {})
  editor:quit()
end

function tests.the_doctor()
  local editor = Editor.new({ program = "echo 'ok    model'", methods = { ["model/status"] = { { { result = {
    availability = { state = "unavailable", reason = "modelNotFound", message = "No file.", remedy = "Fetch one." },
  } } } } } })
  editor:keys(":InklingDoctor!<CR>"):wait_shown("ok    model"):keys("q")
  editor:keys(":InklingDoctor<CR>"):wait_lua([[
    local words = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
    return words:find("No file.", 1, true) and words:find("Fetch one.", 1, true)
  ]])
  editor:quit()
end

local function session(id, title, persisted)
  return {
    sessionId = id, title = title, turns = 1, persisted = persisted, personality = "woody", instructions = "",
    updatedAt = "2026-01-05T10:01:12Z",
  }
end

local kept = {
  ["session/list"] = { { { result = { sessions = {
    session("own", "Not kept", false), session("film", "A film", true), session("saved-1", "", true),
  } } } } },
  ["session/get"] = { { { result = { session = session("film", "A film", true), transcript = {
    { role = "prompt", text = "Who lives there?", feature = "assistant/chat" },
    { role = "response", text = "An owl.\nOld.", feature = "assistant/chat" },
  } } } } },
  ["session/export"] = { { { result = { text = "# A film\n\nAn owl." } } } },
  ["session/delete"] = { { { result = vim.NIL } } },
  ["session/create"] = { { { result = { session = session("neovim", "", true), warnings = {} } } } },
  ["assistant/chat"] = { Answer("Yes."), Answer("No.") },
}

function tests.a_kept_conversation_goes_on()
  local editor = Editor.new({ methods = kept })
  editor:choose("A film", "Go on"):keys(":InklingSessions<CR>")
  local before = "# You\n\nWho lives there?\n\n# Inkling\n\nAn owl.\nOld.\n\n# You\n\n"
  editor:wait_text(before)
  Equal(editor:messages():find("Not kept", 1, true), nil)
  editor:wait_message("* saved-1, turns: 1, 2026-01-05 10:01 UTC")
  editor:keys("iAlone?<Esc>"):keys("<CR>"):wait_text(before .. "Alone?\n\n# Inkling\n\nYes.\n\n# You\n\n")
  local params = editor:sent("assistant/chat")[1].params
  Equal({ params.sessionId, params.message }, { "film", "Alone?" })
  -- Once more it is the same buffer; and its end is not the conversation's.
  local buffer = editor:lua("return vim.api.nvim_get_current_buf()")
  editor:choose("A film", "Go on"):keys(":new<CR>"):keys(":InklingSessions<CR>")
  editor:wait_lua("return vim.api.nvim_get_current_buf() == " .. buffer)
  editor:ex("bwipeout!")
  editor:lua([[require("inkling.client").request("session/list", {}, function() after = true end)]])
  editor:wait_lua("return after")
  Equal({ #editor:sent("session/create"), #editor:sent("session/delete") }, { 0, 0 })
  editor:quit()
end

function tests.a_kept_conversation_is_exported_and_deleted()
  local editor = Editor.new({ methods = kept })
  editor:choose("A film", "Show it"):keys(":InklingSessions<CR>"):wait_text("# A film\n\nAn owl.")
  editor:choose("A film", "Delete it"):keys(":InklingSessions<CR>"):wait_message("Delete “A film” for good?")
  editor:choose("A film", "Delete it", "Yes"):keys(":InklingSessions<CR>"):wait_message("“A film” is deleted")
  Equal(vim.tbl_map(function(message)
    return message.params.sessionId
  end, editor:sent("session/delete")), { "film" })
  editor:quit()
end

function tests.a_conversation_is_kept()
  local editor = Editor.new({ methods = kept })
  editor:keys(":InklingChat<CR>iWho?\nMore<Esc>"):keys("<CR>")
  editor:wait_text("# You\n\nWho?\nMore\n\n# Inkling\n\nYes.\n\n# You\n\n")
  editor:keys(":InklingChat keep<CR>"):wait_message("this conversation is kept")
  local made = editor:sent("session/create")
  Equal({ made[1].params.persist, made[2].params.persist, made[2].params.title }, { false, true, "Who?" })
  Equal(made[2].params.transcript[2].text, "Yes.")
  Equal(editor:wait_sent("session/delete")[1].params.sessionId, made[1].params.sessionId)
  editor:keys("iAnd?<Esc>"):keys("<CR>")
  Equal(editor:wait_sent("assistant/chat", 2)[2].params.sessionId, "neovim")
  editor:quit()
  editor = Editor.new({ methods = kept, settings = { chat = { keep = true } } })
  editor:keys(":InklingChat<CR>iWho?<Esc>"):keys("<CR>")
  Equal(editor:wait_sent("session/create")[1].params.persist, true)
  editor:quit()
end

function tests.a_failed_retry_leaves_the_conversation()
  local editor = Editor.new({ methods = vim.tbl_extend("force", kept, { ["assistant/chat"] = {
    Answer("Yes."), { { text = "ha" }, { error = { code = 1008, message = "It refused." } } },
    { { text = "ha" }, { seconds = 30 } },
  } }) })
  local before = "# You\n\nWho?\n\n# Inkling\n\nYes.\n\n# You\n\n"
  editor:keys(":InklingChat<CR>iWho?<Esc>"):keys("<CR>"):wait_text(before)
  editor:keys("g."):wait_message("It refused."):wait_text(before)
  editor:keys("g."):wait_text("# You\n\nWho?\n\n# Inkling\n\nha"):keys("<C-c>"):wait_text(before):quit()
end

function tests.real_model_and_a_conversation_kept_for_another_editor()
  local options = { settings = { options = { maxTokens = 8 }, chat = { keep = true } } }
  local editor = Real(options)
  editor:keys(":InklingChat<CR>iWho lives in a lighthouse?<Esc>"):keys("<CR>")
  Wait(function()
    return editor:text():find("# Inkling\n\n.+\n\n# You\n\n$")
  end, "an answer", 40000)
  local before, path = editor:text(), Folder .. "/other.gguf"
  -- The same model by another name.
  local program = os.getenv("INKLING_BINARY") or "inkling"
  local list = vim.json.decode(vim.fn.system({ program, "models", "list", "--json" }))
  for _, model in ipairs(list.models) do
    if model.inUse then
      assert(vim.loop.fs_symlink(model.path, path))
    end
  end
  editor:choose("Now"):keys((":InklingModel %s<CR>"):format(path)):wait_message(path .. " is the model of")
  editor:wait_message("Inkling: the model is "):wait_message("* Now")
  editor:quit()
  local other, stop = Real(options)
  other:choose("Who lives", "Go on"):keys(":InklingSessions<CR>"):wait_text(before)
  other:choose("Who lives", "Delete", "Yes"):keys(":InklingSessions<CR>"):wait_message("is deleted")
  stop()
end

local function supplies(...)
  local folder = vim.fn.tempname()
  for index, files in ipairs({ ... }) do
    local place = ("%s/S%d"):format(folder, index)
    vim.fn.mkdir(place, "p")
    for name, words in pairs(files) do
      vim.fn.writefile({ words }, place .. "/" .. name)
    end
  end
  return folder
end

function tests.on_battery()
  local editor = Editor.new({ lines = { "" } })
  local function battery(...)
    return editor:lua([[return require("inkling.power").read(...)]], supplies(...))
  end
  local empties, off = { type = "Battery", status = "Discharging" }, { type = "Mains", online = "0" }
  Equal({ battery(empties, off), battery(off, empties), battery(empties) }, { true, true, true })
  Equal(battery(empties, { type = "Mains", online = "1" }), false)
  Equal(battery(empties, { type = "USB", online = "1" }), false)
  Equal(battery({ type = "Battery", status = "Charging" }), false)
  Equal(battery({ type = "Battery", status = "Discharging", scope = "Device" }), false, "a mouse")
  Equal({ battery(), editor:lua([[return require("inkling.power").read("/nowhere")]]) }, { false, false })
  Equal(editor:lua([[
    local read = require("inkling.power").read_pmset
    return { read("Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t80%; discharging;"),
      read("Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t80%; charging;") }
  ]]), { true, false })
  editor:quit()
end

local function selecting(options, battery)
  local editor = Editor.new({
    lines = { "one", "two" }, methods = options.methods,
    settings = { prewarm = vim.tbl_extend("force", { milliseconds = 1 }, options.prewarm or {}) },
  })
  local supply = battery and { type = "Battery", status = "Discharging" } or { type = "Mains", online = "1" }
  editor:lua([[require("inkling.power").folder = ...]], supplies(supply))
  return editor
end

function tests.prewarm_on_battery_is_only_done_when_that_is_set()
  local editor = selecting({}, true)
  editor:lua([[
    looked = 0
    local read = require("inkling.power").read
    require("inkling.power").read = function(folder) looked = looked + 1 return read(folder) end
    require("inkling.client").when_ready(function() started = true end)
  ]])
  editor:wait_lua("return started"):keys("V"):wait_lua("return looked == 1"):keys("<Esc>j"):keys("V")
  editor:lua([[
    require("inkling.client").request("assistant/countTokens", { text = "x" }, function() after = true end)
  ]])
  editor:wait_lua("return after")
  Equal({ #editor:sent("assistant/prewarm"), editor:lua("return looked") }, { 0, 1 })
  editor:quit()
  editor = selecting({ prewarm = { battery = true, start = true } }, true)
  editor:keys("V"):wait_sent("assistant/prewarm")
  editor:quit()
end

function tests.a_selection_starts_nothing_unless_that_is_set()
  local editor = selecting({ prewarm = { start = true } }, false)
  editor:keys("V")
  Equal(editor:wait_sent("assistant/prewarm")[1].params.params.text, "one")
  editor:quit()
  editor = selecting({}, false)
  editor:keys("V")
  Equal(editor:lua([[return vim.api.nvim_get_mode().mode .. tostring(package.loaded["inkling.client"])]]), "Vnil")
  editor:quit()
end

function tests.prewarm_names_the_tone_that_an_answer_has_told()
  local editor = selecting({ methods = { ["assistant/rephrase"] = {
    Answer("x", { tone = "friendly" }), Answer("y", { tone = "shorter" }),
  } } }, false)
  editor:keys("gzz"):wait_done():keys("<C-c>"):keys("V")
  Equal(editor:wait_sent("assistant/prewarm")[1].params.params.tone, "friendly")
  editor:keys(":Inkling rephrase shorter<CR>"):wait_done():keys("<C-c>"):keys("V")
  Equal(editor:wait_sent("assistant/prewarm", 2)[2].params.params.tone, "friendly")
  editor:quit()
end

return tests
