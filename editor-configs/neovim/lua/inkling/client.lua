-- The conversation with the daemon: one process for the editor, started at the first use and again when it has ended.
local config = require("inkling.config")
local transport = require("inkling.transport")

local M = {}

local connection = nil
local ready = false
local waiting = {}
local pending = {}
local listeners = {}
local on_ready = {}
local last_id = 0
local last_problem = nil

-- What the daemon offers, as `initialize` and `assistant/didChangeConfiguration` tell it.
M.offers = nil
M.encoding = "utf-8"
M.server = nil

local function remedy(reason)
  return reason .. ". Is Inkling installed and the setting `command` right? :checkhealth inkling says more."
end

local function fail_all(message)
  local lost, unready = pending, on_ready
  pending, waiting, listeners, on_ready = {}, {}, {}, {}
  connection, ready = nil, false
  last_problem = message
  -- One failure for all, so that it can be told once.
  local failure = { code = 0, message = message, data = { retryable = true } }
  for _, callback in pairs(lost) do
    callback(failure, nil)
  end
  for _, callback in ipairs(unready) do
    callback(message)
  end
end

local function on_message(message)
  if message.method == "$/progress" then
    local listener = listeners[tostring(message.params.token)]
    if listener then
      listener(message.params.value)
    end
  elseif message.method == "assistant/didChangeConfiguration" then
    M.offers = vim.tbl_extend("force", M.offers or {}, message.params)
  elseif message.method and message.id ~= nil then
    -- A session of another client may have tools; this client has none.
    connection.send({ id = message.id, error = { code = -32601, message = "Neovim has no tools" } })
  elseif not message.method then
    local callback = message.id ~= nil and pending[message.id]
    if callback then
      pending[message.id] = nil
      listeners[tostring(message.id)] = nil
      callback(message.error, message.result)
    elseif message.id == nil and message.error then
      vim.notify("Inkling: " .. message.error.message, vim.log.levels.ERROR)
    end
  end
end

local function version()
  local v = vim.version()
  return ("%d.%d.%d"):format(v.major, v.minor, v.patch)
end

local function start()
  local problem
  local mine
  mine, problem = transport.start(config.get().command, {
    on_message = function(message)
      if connection == mine then
        on_message(message)
      end
    end,
    on_exit = function(reason)
      if connection == mine then
        fail_all(remedy(reason))
      end
    end,
  })
  connection = mine
  if not connection then
    last_problem = remedy(problem)
    return last_problem
  end
  ready, last_problem = false, nil
  last_id = last_id + 1
  pending[last_id] = function(failure, result)
    if failure then
      -- A process that has ended calls this too, when all is cleared already.
      return connection and fail_all(failure.message)
    end
    M.server = result.serverInfo
    M.encoding = result.capabilities.positionEncoding
    M.offers = result.capabilities.experimental.assistant
    ready = true
    mine.send({ method = "initialized", params = vim.empty_dict() })
    local queue, callbacks = waiting, on_ready
    waiting, on_ready = {}, {}
    for _, message in ipairs(queue) do
      mine.send(message)
    end
    for _, callback in ipairs(callbacks) do
      callback(nil)
    end
  end
  connection.send({
    id = last_id,
    method = "initialize",
    params = {
      processId = vim.fn.getpid(),
      clientInfo = { name = "Neovim", version = version() },
      capabilities = {
        general = { positionEncodings = { "utf-8", "utf-16" } },
        experimental = { assistant = vim.empty_dict() },
      },
    },
  })
end

local function send(message)
  if ready then
    connection.send(message)
  else
    table.insert(waiting, message)
  end
end

-- Sends a request; callback(failure, result) comes later, never before this returns.
-- With a listener the request asks for partial results and for progress, which the listener is given.
-- Answers the id, by which the request can be cancelled.
function M.request(method, params, callback, listener)
  local problem = not connection and start()
  if problem then
    vim.schedule(function()
      callback({ code = 0, message = problem }, nil)
    end)
    return nil
  end
  last_id = last_id + 1
  local id = last_id
  pending[id] = callback
  if listener then
    params.partialResultToken, params.workDoneToken = "text-" .. id, "work-" .. id
    listeners["text-" .. id], listeners["work-" .. id] = listener, listener
    pending[id] = function(failure, result)
      listeners["text-" .. id], listeners["work-" .. id] = nil, nil
      callback(failure, result)
    end
  end
  send({ id = id, method = method, params = params })
  return id
end

-- Sends a notification; nothing is started for it unless that is asked for.
function M.notify(method, params, may_start)
  if connection or (may_start and not start()) then
    send({ method = method, params = params })
  end
end

-- Ends one request. Its callback is not called any more, whatever still comes of it.
function M.cancel(id)
  if not id or not pending[id] then
    return
  end
  pending[id] = nil
  listeners["text-" .. id], listeners["work-" .. id] = nil, nil
  for index, message in ipairs(waiting) do
    if message.id == id then
      table.remove(waiting, index)
      return
    end
  end
  M.notify("$/cancelRequest", { id = id })
end

-- Calls back when it is known what the daemon offers: callback(problem).
function M.when_ready(callback)
  local problem = not connection and start()
  if problem or ready then
    return callback(problem or nil)
  end
  table.insert(on_ready, callback)
end

-- For completion, which cannot wait for long: `initialize` is answered at once.
function M.offers_now()
  if not M.offers then
    local done = false
    M.when_ready(function()
      done = true
    end)
    vim.wait(1000, function()
      return done
    end, 5)
  end
  return M.offers or { features = {}, tones = {}, kinds = {}, personalities = {} }
end

function M.running()
  return connection ~= nil
end

function M.problem()
  return last_problem
end

function M.stop()
  if not connection then
    return
  end
  local ending = connection
  pending, waiting, listeners, on_ready = {}, {}, {}, {}
  if ready then
    ending.send({ id = last_id + 1, method = "shutdown" })
    ending.send({ method = "exit" })
  end
  connection, ready = nil, false
  ending.close(300)
end

return M
