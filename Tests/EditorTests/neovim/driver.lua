-- Runs the test that INKLING_TEST names: plays keys in another Neovim and looks at what is there then. Every wait has a
-- deadline, and none has a length of its own.
local here = debug.getinfo(1, "S").source:match("^@(.*)/") or "."
local folder, root = os.getenv("INKLING_TEST_FOLDER"), os.getenv("INKLING_ROOT")
package.path = here .. "/?.lua;" .. package.path

Editor = {}
Editor.__index = Editor

local function wait(condition, what, milliseconds)
  local deadline = vim.loop.hrtime() + (milliseconds or 5000) * 1e6
  local value
  repeat
    value = condition()
    if value then
      return value
    end
    vim.wait(4)
  until vim.loop.hrtime() > deadline
  error("waited for " .. (type(what) == "function" and what() or what), 2)
end

local editors = 0

-- options: lines (or bytes, of a file), methods, script (more members), settings, width, height, command, program (what
-- the program does, as a shell says it, when it is not to connect; its words are added to the file “told”),
-- troubled (errors in the editor are part of the test)
function Editor.new(options)
  editors = editors + 1
  local self = setmetatable({
    number = editors, troubled = options.troubled, log_path = ("%s/log-%d.jsonl"):format(folder, editors),
  }, Editor)
  self.channel = vim.fn.jobstart({
    vim.v.progpath, "--embed", "--headless", "-u", "NONE", "-i", "NONE", "-n",
    "--cmd", "set runtimepath^=" .. root .. "/editor-configs/neovim",
  }, { rpc = true })
  self.process = vim.fn.jobpid(self.channel)
  local script = vim.tbl_extend("force", { methods = options.methods or vim.empty_dict() }, options.script or {})
  local script_path = ("%s/script-%d.json"):format(folder, editors)
  vim.fn.writefile({ vim.json.encode(script) }, script_path)
  local settings = vim.deepcopy(options.settings or {})
  local daemon = { "python3", root .. "/Tests/EditorTests/scripted_daemon.py", script_path, self.log_path }
  settings.command = options.command or daemon
  if options.program then
    local path = ("%s/program-%d"):format(folder, editors)
    local lines = {
      "#!/bin/sh", ('test "$1" = connect && exec %s'):format(table.concat(daemon, " ")),
      ('echo "$@" >> %s/told'):format(folder),
    }
    vim.fn.writefile(vim.list_extend(lines, vim.split(options.program, "\n")), path)
    vim.fn.setfperm(path, "rwx------")
    settings.command = { path, "connect" }
  end
  self:ex("set columns=" .. (options.width or 80) .. " lines=" .. (options.height or 40))
  self:lua([[
    local settings = ...
    vim.cmd("runtime plugin/inkling.lua")
    require("inkling").setup(settings)
    messages = {}
    vim.notify = function(message) table.insert(messages, message) end
    -- The virtual lines of all previews, and what floating windows hold.
    function shown()
      local rows = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, require("inkling.text").namespace, 0, -1,
        { details = true })) do
        for _, line in ipairs(mark[4].virt_lines or {}) do
          local row = ""
          for _, chunk in ipairs(line) do row = row .. chunk[1] end
          table.insert(rows, row)
        end
      end
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= "" then
          vim.list_extend(rows, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false))
        end
      end
      return table.concat(rows, "\n")
    end
    function marks()
      return #vim.api.nvim_buf_get_extmarks(0, require("inkling.text").namespace, 0, -1, {})
    end
  ]], settings)
  local path = ("%s/text-%d.%s"):format(folder, editors, options.ending or "md")
  local file = assert(io.open(path, "wb"))
  file:write(options.bytes or (table.concat(options.lines or { "" }, "\n") .. "\n"))
  file:close()
  self.path = path
  self:ex("edit " .. path)
  return self
end

function Editor:request(method, ...)
  return vim.rpcrequest(self.channel, method, ...)
end

function Editor:lua(code, ...)
  return self:request("nvim_exec_lua", code, { ... })
end

function Editor:ex(line)
  return self:request("nvim_command", line)
end

-- Plays keys as if typed, and waits until they are taken.
function Editor:keys(keys)
  self:request("nvim_input", keys)
  wait(function()
    return self:request("nvim_get_mode").blocking or self:lua("return vim.fn.getchar(1)") == 0
  end, "keys to be taken: " .. keys)
  return self
end

function Editor:text()
  return table.concat(self:request("nvim_buf_get_lines", 0, 0, -1, true), "\n")
end

-- The bytes that a write of the buffer gives.
function Editor:bytes()
  self:ex("silent write!")
  local file = assert(io.open(self.path, "rb"))
  local bytes = file:read("*a")
  file:close()
  return bytes
end

function Editor:shown()
  return self:lua("return shown()")
end

function Editor:messages()
  return table.concat(self:lua("return messages"), "\n")
end

function Editor:wait_shown(words)
  wait(function()
    return self:shown():find(words, 1, true)
  end, function()
    return ("“%s” to be shown; there is “%s”, messages “%s”"):format(words, self:shown(), self:messages())
  end)
  return self
end

-- The answer is complete: its keys are offered.
function Editor:wait_done()
  return self:wait_shown("gy accept")
end

function Editor:wait_message(words)
  wait(function()
    return self:messages():find(words, 1, true)
  end, function()
    return ("the message “%s”; there is “%s”"):format(words, self:messages())
  end)
  return self
end

function Editor:wait_text(expected)
  wait(function()
    return self:text() == expected
  end, function()
    return ("the text %s; there is %s; messages “%s”"):format(
      vim.inspect(expected), vim.inspect(self:text()), self:messages())
  end)
  return self
end

function Editor:wait_lua(code, what)
  wait(function()
    local value = self:lua(code)
    return value ~= vim.NIL and value
  end, what or code)
  return self
end

-- What the daemon was sent, of one method.
function Editor:sent(method)
  local found = {}
  if vim.fn.filereadable(self.log_path) == 1 then
    for _, line in ipairs(vim.fn.readfile(self.log_path)) do
      local decoded, entry = pcall(vim.json.decode, line)
      if decoded and entry["in"] and entry["in"].method == method then
        table.insert(found, entry["in"])
      end
    end
  end
  return found
end

function Editor:wait_sent(method, count)
  wait(function()
    return #self:sent(method) >= (count or 1)
  end, method .. " to be sent")
  return self:sent(method)
end

-- From here on menus answer by themselves: with the choices that begin with these words, in turn, else with none.
function Editor:choose(...)
  self:lua([[
    local wanted = { ... }
    vim.ui.select = function(items, options, done)
      table.insert(messages, options.prompt)
      local words = table.remove(wanted, 1)
      for index, item in ipairs(items) do
        local said = (options.format_item or tostring)(item)
        table.insert(messages, "* " .. said)
        if words and said:find(words, 1, true) == 1 then return done(item, index) end
      end
      done(nil)
    end
  ]], ...)
  return self
end

-- Ends it. What went wrong in it behind the scenes is a failure, unless the test has made it so: options.troubled.
function Editor:quit()
  if not self.troubled then
    local errors = self:lua([[return vim.fn.execute("messages")]])
    if errors:find("Error ", 1, true) or errors:find("%f[%w]E%d+:") then
      error("the editor has told of errors: " .. errors, 2)
    end
  end
  pcall(vim.rpcnotify, self.channel, "nvim_command", "qall!")
  vim.fn.jobwait({ self.channel }, 5000)
end

function Equal(got, expected, what)
  if not vim.deep_equal(got, expected) then
    error(("%sexpected %s, got %s"):format(what and what .. ": " or "", vim.inspect(expected), vim.inspect(got)), 2)
  end
end

-- An editor with the real program, and what ends both.
function Real(options)
  local program = os.getenv("INKLING_BINARY") or "inkling"
  if vim.fn.executable(program) == 0 then
    error("there is no program " .. program)
  end
  options.command = { program, "connect" }
  local editor = Editor.new(options)
  return editor, function()
    editor:quit()
    vim.fn.system({ program, "stop", "--force" })
  end
end

-- An answer of the daemon with a text, streamed in two parts before.
function Answer(words, more)
  local half = math.floor(#words / 2)
  while half > 0 and (words:byte(half + 1) or 0) >= 0x80 and (words:byte(half + 1) or 0) < 0xC0 do
    half = half - 1
  end
  return {
    { text = words:sub(1, half), offset = 0 },
    { text = words:sub(half + 1), offset = half },
    { result = vim.tbl_extend("force", { text = words }, more or {}) },
  }
end

Wait, Root, Folder = wait, root, folder

local function main()
  local name = os.getenv("INKLING_TEST")
  if name == "--measure" then
    return dofile(here .. "/measure.lua")
  end
  local tests = {}
  for _, path in ipairs(vim.fn.glob(here .. "/test_*.lua", true, true)) do
    for name, test in pairs(dofile(path)) do
      tests[name] = test
    end
  end
  if not tests[name] then
    error("there is no test " .. name)
  end
  tests[name]()
end

local passed, problem = xpcall(main, debug.traceback)
if not passed then
  io.stderr:write(problem .. "\n")
end
vim.cmd(passed and "qall!" or "cquit")
