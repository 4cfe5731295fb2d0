-- Chat, reading ahead, completion, status, help; and the real program.
local tests = {}

local session = { session = { sessionId = "s" } }

local function chat(plays, more)
  return vim.tbl_extend("force", {
    ["session/create"] = { { { result = session } } }, ["session/rewind"] = { { { result = session } } },
    ["session/delete"] = { { { result = vim.NIL } } }, ["session/update"] = { { { result = session } } },
    ["assistant/chat"] = plays,
  }, more or {})
end

function tests.chat()
  local editor = Editor.new({ methods = chat({ Answer("Hello you.\nHow?"), Answer("Fine."), Answer("Better.") }) })
  editor:keys(":InklingChat<CR>"):keys("iHi there<Esc>"):keys("<CR>")
  editor:wait_text("# You\n\nHi there\n\n# Inkling\n\nHello you.\nHow?\n\n# You\n\n")
  editor:keys("iAnd you?<Esc>"):keys("<CR>")
  local before = "# You\n\nHi there\n\n# Inkling\n\nHello you.\nHow?\n\n# You\n\nAnd you?"
  editor:wait_text(before .. "\n\n# Inkling\n\nFine.\n\n# You\n\n")
  local sent = editor:sent("assistant/chat")
  Equal({ sent[1].params.message, sent[2].params.message }, { "Hi there", "And you?" })
  Equal(sent[1].params.sessionId, editor:sent("session/create")[1].params.sessionId)
  editor:keys("g."):wait_text(before .. "\n\n# Inkling\n\nBetter.\n\n# You\n\n")
  Equal(editor:sent("assistant/chat")[3].params.retry, true)
  editor:keys("gb"):wait_text(before)
  Equal(#editor:wait_sent("session/rewind"), 1)
  editor:ex("bwipeout!")
  Equal(#editor:wait_sent("session/delete"), 1)
  editor:quit()
end

function tests.chat_stopped_and_failed()
  local editor = Editor.new({ methods = chat({
    { { text = "half" }, { seconds = 30 } }, { { text = "half" }, { error = { code = 1008, message = "No." } } },
  }) })
  editor:keys(":InklingChat<CR>iHi<Esc>"):keys("<CR>"):wait_text("# You\n\nHi\n\n# Inkling\n\nhalf")
  editor:keys("<C-c>"):wait_text("# You\n\nHi"):wait_sent("$/cancelRequest")
  editor:keys("<CR>"):wait_message("No."):wait_text("# You\n\nHi"):quit()
end

function tests.chat_outlives_the_daemon()
  local editor = Editor.new({ methods = chat({
    Answer("Hello."), { { error = { code = 1003, message = "gone", data = { kind = "sessionNotFound" } } } },
    Answer("Again."),
  }) })
  editor:keys(":InklingChat<CR>iHi<Esc>"):keys("<CR>"):wait_text("# You\n\nHi\n\n# Inkling\n\nHello.\n\n# You\n\n")
  editor:keys("iMore<Esc>"):keys("<CR>")
  editor:wait_text("# You\n\nHi\n\n# Inkling\n\nHello.\n\n# You\n\nMore\n\n# Inkling\n\nAgain.\n\n# You\n\n")
  local entries = {}
  for _, entry in ipairs(editor:sent("session/create")[2].params.transcript) do
    table.insert(entries, entry.role .. ": " .. entry.text)
  end
  Equal(entries, { "prompt: Hi", "response: Hello." })
  editor:quit()
end

function tests.the_cursor_stays_while_a_chat_streams()
  local editor = Editor.new({ methods = chat({
    { { text = "a\nb\nc" }, { ["until"] = "assistant/countTokens" }, { result = { text = "a\nb\nc\nd" } } },
  }) })
  editor:keys(":InklingChat<CR>iHi<Esc>"):keys("<CR>"):wait_text("# You\n\nHi\n\n# Inkling\n\na\nb\nc"):keys("ggj")
  editor:lua([[require("inkling.client").request("assistant/countTokens", { text = "x" }, function() end)]])
  editor:wait_text("# You\n\nHi\n\n# Inkling\n\na\nb\nc\nd\n\n# You\n\n")
  Equal(editor:request("nvim_win_get_cursor", 0)[1], 2)
  editor:quit()
end

function tests.the_voice()
  local editor = Editor.new({ lines = { "x" }, methods = { ["assistant/rephrase"] = { Answer("y") } } })
  editor:keys(":InklingVoice woody<CR>gzz"):wait_done()
  Equal(editor:sent("assistant/rephrase")[1].params.personality, "woody")
  editor:keys("<C-c>:Inkling rephrase formal voice=dory<CR>"):wait_done()
  Equal(editor:sent("assistant/rephrase")[2].params.personality, "dory")
  editor:quit()
end

function tests.completion_is_what_the_daemon_offers()
  local editor = Editor.new({ lines = { "x" }, methods = { ["assistant/rephrase"] = { {
    { notify = { "assistant/didChangeConfiguration", {
      features = { { id = "rephrase", title = "R", description = "", input = "selection", output = "replace",
        suggestions = {} } },
      tones = { { id = "pirate", title = "Pirate", description = "" } }, personalities = {},
    } } }, { result = { text = "y" } },
  } } } })
  local function complete(line)
    return table.concat(editor:request("nvim_call_function", "getcompletion", { line, "cmdline" }), " ")
  end
  Equal(complete("Inkling "), "rephrase summarize brainstorm chat commit")
  Equal(complete("Inkling rephrase p"), "proofread plain")
  Equal(complete("'<,'>Inkling! summarize b"), "bullets")
  Equal(complete("Inkling brainstorm st"), "storyArc")
  Equal(complete("Inkling rephrase formal to=be"), "to=below")
  Equal(complete("InklingVoice w"), "woody")
  editor:keys("gzz"):wait_done()
  Equal(complete("Inkling rephrase p"), "pirate")
  editor:quit()
end

local function prewarmed(options)
  local editor = Editor.new(vim.tbl_extend("force", {
    lines = { "one two", "three" }, methods = { ["assistant/rephrase"] = { Answer("x") } },
  }, options or {}))
  editor:lua([[require("inkling.client").when_ready(function() started = true end)]])
  return editor:wait_lua("return started")
end

function tests.prewarm()
  local editor = prewarmed()
  editor:keys("v"):keys("e")
  local params = editor:wait_sent("assistant/prewarm")[1].params
  Equal({ params.method, params.params.text, params.params.tone }, { "assistant/rephrase", "one", "formal" })
  editor:keys("<Esc>")
  Equal(editor:wait_sent("assistant/prewarm", 2)[2].params, {})
  editor:keys("V"):wait_sent("assistant/prewarm", 3)
  editor:keys("gz"):wait_done()
  Equal(#editor:sent("assistant/prewarm"), 3, "not cancelled by the request that it is for")
  editor:keys("<C-c>V"):wait_sent("assistant/prewarm", 4)
  editor:keys(":"):keys("<C-c>")
  Equal(editor:wait_sent("assistant/prewarm", 5)[5].params, {})
  editor:keys("V"):wait_sent("assistant/prewarm", 6)
  editor:keys(":Inkling rephrase<CR>"):wait_done()
  Equal(#editor:sent("assistant/prewarm"), 6)
  editor:quit()
end

function tests.prewarm_of_secrets_and_of_long_texts_is_not_done()
  local editor = prewarmed({ ending = "pem", settings = { prewarm = { milliseconds = 1 } } })
  editor:keys("V"):lua([[
    asked = 0
    vim.defer_fn(function() asked = 1 end, 100)
  ]])
  editor:wait_lua("return asked == 1")
  Equal(#editor:sent("assistant/prewarm"), 0)
  Equal(editor:lua([[
    local denied = require("inkling.prewarm").denied
    local wrong = {}
    for _, name in ipairs({ "/a/.env", "/a/.env.local", "/a/id_ed25519", "/a/x.key", "/a/credentials.json",
      "/h/.ssh/config", "/a/b.gpg" }) do
      if not denied(name) then table.insert(wrong, name) end
    end
    for _, name in ipairs({ "/a/notes.md", "/a/monkey.txt", "/a/environment.md", "" }) do
      if denied(name) then table.insert(wrong, name) end
    end
    return wrong
  ]]), {})
  editor:quit()
  editor = prewarmed({ lines = { ("x"):rep(8001), "y" }, settings = { prewarm = { milliseconds = 1 } } })
  editor:keys("V"):keys("<Esc>j"):keys("V")
  Equal(editor:wait_sent("assistant/prewarm")[1].params.params.text, "y")
  editor:quit()
end

function tests.status_and_health()
  local model = {
    availability = { state = "available" }, model = { name = "Small" }, activeRequests = 0,
  }
  local editor = Editor.new({ methods = {
    ["model/status"] = { { { result = model } } },
    ["daemon/status"] = { { { result = {
      version = "0.1.0", processId = 1, uptimeSeconds = 60, clients = { vim.empty_dict() },
      memory = { daemonBytes = 1000000, engineBytes = vim.NIL }, totals = { requests = 4, failedRequests = 1 },
      model = model,
    } } } },
  } })
  editor:keys(":InklingStatus<CR>"):wait_shown("model: Small, available"):keys("q")
  editor:ex("checkhealth inkling")
  editor:wait_lua([[
    local words = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
    return words:find("the model is Small", 1, true) and words:find("positions are in utf-8", 1, true)
  ]])
  editor:quit()
end

function tests.settings_that_there_are_not_are_named()
  local editor = Editor.new({ lines = { "" } })
  editor:lua([[require("inkling").setup({ placment = {}, placement = { rephrase = "left" } })]])
  editor:wait_message("there is no setting “placment”"):wait_message("there is no placement “left”"):quit()
end

function tests.help_has_its_tags()
  local editor = Editor.new({ lines = { "" } })
  editor:lua([[
    vim.fn.mkdir(... .. "/doc", "p")
    vim.fn.writefile(vim.fn.readfile(... .. "/../help.txt"), ... .. "/doc/inkling.txt")
  ]], (function()
    vim.fn.writefile(vim.fn.readfile(Root .. "/editor-configs/neovim/doc/inkling.txt"), Folder .. "/help.txt")
    vim.fn.mkdir(Folder .. "/rtp", "p")
    return Folder .. "/rtp"
  end)())
  editor:ex("set runtimepath^=" .. Folder .. "/rtp")
  editor:ex("helptags " .. Folder .. "/rtp/doc")
  for _, tag in ipairs({ "inkling", ":Inkling", "inkling-settings", "inkling-keys", "<Plug>(inkling-rephrase)",
    ":InklingModel", ":InklingSessions", ":InklingDoctor", "inkling-changes" }) do
    editor:request("nvim_command", "help " .. tag)
  end
  editor:quit()
end

function tests.real_rephrase_and_undo()
  local editor, stop = Real({ lines = { "gonna be late tmrw, train's broken again", "", "Yours" } })
  local before = editor:bytes()
  editor:keys("gzz")
  Wait(function()
    return editor:shown():find("gy accept", 1, true)
  end, "an answer", 40000)
  editor:keys("gy")
  Equal(editor:text():find("tmrw", 1, true), nil)
  Equal(editor:text():find("\n\nYours", 1, true) ~= nil, true)
  editor:keys("u")
  Equal(editor:bytes(), before)
  editor:keys("gg:Inkling rephrase nonsense<CR>"):wait_message("tone must be one of")
  stop()
end

function tests.real_command_of_the_configuration()
  local place = os.getenv("XDG_CONFIG_HOME") .. "/inkling"
  vim.fn.mkdir(place, "p")
  vim.fn.writefile({ vim.json.encode({
    commands = { {
      id = "note", title = "A note", input = "selection", output = "insert",
      instructions = "Write a short note on this.",
    } },
  }) }, place .. "/config.json")
  local editor, stop = Real({ lines = { "The ferry left at nine." }, settings = { options = { maxTokens = 30 } } })
  editor:keys(":Inkling n<Tab><CR>")
  Wait(function()
    return editor:shown():find("A note (below)", 1, true)
  end, function()
    return "the note; there is " .. editor:shown() .. ", messages " .. editor:messages()
  end, 40000)
  editor:keys("gy")
  Equal(editor:text():find("The ferry left at nine.\n\n%S") ~= nil, true)
  stop()
end

function tests.real_summary_and_chat()
  local editor, stop = Real({
    lines = { "The ferry left at nine. It was full, and the sea was rough. Nobody complained, though." },
    settings = { options = { maxTokens = 40 } },
  })
  editor:keys(":Inkling summarize headline<CR>")
  Wait(function()
    return editor:shown():find("gy accept", 1, true)
  end, "a summary", 40000)
  editor:keys("gy:InklingChat<CR>iWho lives in a lighthouse?<Esc>"):keys("<CR>")
  Wait(function()
    return editor:text():find("# Inkling\n\n.+\n\n# You\n\n$")
  end, function()
    return "an answer; there is " .. vim.inspect(editor:text()) .. ", messages " .. editor:messages()
  end, 40000)
  stop()
end

return tests
