-- The process of the daemon and its messages: header framing over pipes. Nothing here knows what messages mean.
-- vim.lsp.rpc is not used: what it returns and how it is started has changed between the versions of Neovim.
local uv = vim.uv or vim.loop

local M = {}

-- Takes chunks as they come; a message may be spread over many, and many may be in one.
function M.reader(on_message)
  local chunks, size, needed = {}, 0, nil
  return function(chunk)
    table.insert(chunks, chunk)
    size = size + #chunk
    if needed and size < needed then
      return
    end
    local data = table.concat(chunks)
    local position = 1
    while true do
      local _, stop = data:find("\r\n\r\n", position, true)
      if not stop then
        needed = nil
        break
      end
      local header = "\r\n" .. data:sub(position, stop):lower()
      local length = tonumber(header:match("\r\ncontent%-length:%s*(%d+)"))
      if not length then
        error("a header without a length: " .. data:sub(position, stop))
      end
      if #data < stop + length then
        needed = stop + length - position + 1
        break
      end
      local body = data:sub(stop + 1, stop + length)
      position = stop + length + 1
      on_message(vim.json.decode(body, { luanil = { object = true, array = true } }))
    end
    data = data:sub(position)
    chunks, size = { data }, #data
  end
end

-- Starts the process. Answers nil and a reason when there is none to start.
-- handlers: on_message(message), on_exit(reason); both are called in the main loop.
function M.start(command, handlers)
  local stdin, stdout, stderr = uv.new_pipe(false), uv.new_pipe(false), uv.new_pipe(false)
  local process, identity
  local last_words, ended = "", false
  local connection = {}

  local function finish(reason)
    if ended then
      return
    end
    ended = true
    for _, handle in ipairs({ stdin, stdout, stderr }) do
      if not handle:is_closing() then
        handle:close()
      end
    end
    handlers.on_exit(reason)
  end

  -- What was written before the end may come after it is known that the process has ended. A child of it may hold the
  -- pipe, so this is not waited for without a limit.
  local status_at_exit, output_ended = nil, false
  local function finish_exit()
    local words = vim.trim(last_words)
    finish(("%s ended with status %d%s"):format(command[1], status_at_exit, words == "" and "" or ": " .. words))
  end

  local arguments = vim.list_slice(command, 2)
  process, identity = uv.spawn(command[1], { args = arguments, stdio = { stdin, stdout, stderr } }, function(status)
    process:close()
    connection.exited, status_at_exit = true, status
    vim.schedule(function()
      vim.defer_fn(finish_exit, output_ended and 0 or 500)
    end)
  end)
  if not process then
    for _, handle in ipairs({ stdin, stdout, stderr }) do
      handle:close()
    end
    return nil, ("%s could not be started (%s)"):format(command[1], tostring(identity))
  end

  local read = M.reader(function(message)
    if not ended then
      handlers.on_message(message)
    end
  end)
  -- Chunks are collected outside the main loop and read in it, all that have come at once.
  local waiting = {}
  stdout:read_start(function(_, chunk)
    if not chunk then
      output_ended = true
      if connection.exited then
        vim.schedule(finish_exit)
      end
      return
    end
    table.insert(waiting, chunk)
    if #waiting > 1 then
      return
    end
    vim.schedule(function()
      local data = table.concat(waiting)
      waiting = {}
      local understood, problem = pcall(read, data)
      if not understood then
        connection.kill()
        finish("what came from " .. command[1] .. " could not be read: " .. tostring(problem))
      end
    end)
  end)
  stderr:read_start(function(_, chunk)
    if chunk then
      last_words = (last_words .. chunk):sub(-500)
    end
  end)

  connection.process_id = identity

  function connection.send(message)
    if ended or stdin:is_closing() then
      return
    end
    message.jsonrpc = "2.0"
    local body = vim.json.encode(message)
    stdin:write(("Content-Length: %d\r\n\r\n%s"):format(#body, body))
  end

  function connection.kill()
    if not connection.exited then
      process:kill("sigterm")
    end
  end

  -- The end of its input ends it; a process that does not heed that is ended.
  function connection.close(milliseconds)
    if not stdin:is_closing() then
      stdin:close()
    end
    vim.wait(milliseconds, function()
      return connection.exited
    end, 5)
    connection.kill()
  end

  return connection
end

return M
