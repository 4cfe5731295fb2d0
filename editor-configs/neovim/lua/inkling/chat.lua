-- A conversation in a buffer: what is below the last "# You" is what is said next. The turns are kept here too, so that
-- the session can be made again when the daemon was started anew.
local client = require("inkling.client")
local config = require("inkling.config")
local status = require("inkling.status")
local text = require("inkling.text")

local M = {}

local chats = {}
local count = 0

local you, inkling = "# You", "# Inkling"

local function say(message)
  vim.notify("Inkling: " .. message, vim.log.levels.ERROR)
end

local function mark_row(chat, name)
  local position = vim.api.nvim_buf_get_extmark_by_id(chat.buffer, text.namespace, chat[name], {})
  return position[1]
end

-- The answer begins two lines below its heading; the mark is there, since a mark within replaced lines would move.
local function answer_row(chat)
  return mark_row(chat, "heading") + 2
end

local function set_mark(chat, name, row)
  chat[name] = vim.api.nvim_buf_set_extmark(chat.buffer, text.namespace, row, 0, { id = chat[name] })
end

-- Lines from a row on; the cursor goes along where it was at the end, and stays everywhere else.
local function set_lines(chat, row, lines)
  local last = vim.api.nvim_buf_line_count(chat.buffer)
  row = math.min(row, last)
  local following = {}
  for _, window in ipairs(vim.fn.win_findbuf(chat.buffer)) do
    following[window] = vim.api.nvim_win_get_cursor(window)[1] == last
  end
  vim.api.nvim_buf_set_lines(chat.buffer, row, -1, false, lines)
  vim.bo[chat.buffer].modified = false
  for window, follows in pairs(following) do
    if follows then
      vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(chat.buffer), 0 })
    end
  end
end

-- A place to write in, behind all that was said.
local function prompt(chat, row, message)
  local lines = vim.split(message or "", "\n", { plain = true })
  set_lines(chat, row, vim.list_extend({ you, "" }, lines))
  set_mark(chat, "prompt", row)
end

local function message_of(chat)
  local row = mark_row(chat, "prompt")
  return vim.trim(table.concat(vim.api.nvim_buf_get_lines(chat.buffer, row + 1, -1, false), "\n"))
end

local function transcript(chat)
  local entries = {}
  if config.get().chat.instructions then
    table.insert(entries, { role = "instructions", text = config.get().chat.instructions })
  end
  for _, turn in ipairs(chat.turns) do
    table.insert(entries, { role = "prompt", text = turn.message, feature = "assistant/chat" })
    table.insert(entries, { role = "response", text = turn.answer, feature = "assistant/chat" })
  end
  return entries
end

local function create(chat)
  count = count + 1
  chat.session = ("neovim-%d-%d"):format(vim.fn.getpid(), count)
  client.request("session/create", {
    sessionId = chat.session, title = "Neovim", instructions = config.get().chat.instructions,
    personality = config.get().voice, contextPolicy = "slidingWindow", transcript = transcript(chat),
  }, function(failure)
    if failure then
      chat.session = nil
    end
  end)
end

local function listen(chat, value)
  if value.kind == "text" then
    local shown = value.text
    if not shown then
      local before = chat.partial or ""
      shown = before:sub(1, text.byte_offset(before, value.offset, client.encoding)) .. value.delta
    end
    chat.partial, chat.state = shown, "writing"
    status.count(chat)
    set_lines(chat, answer_row(chat), vim.split(shown:gsub("\r", ""), "\n", { plain = true }))
  elseif value.kind == "begin" or value.kind == "report" then
    chat.progress = { message = value.message or value.title, percentage = value.percentage }
  end
  status.set(chat, chat)
end

local function ended(chat)
  chat.request, chat.partial, chat.progress, chat.state, chat.meter = nil, nil, nil, nil, nil
  status.set(chat, nil)
end

-- All that was shown is void: the buffer is as before, with the message to be sent again.
local function take_back(chat, turn)
  ended(chat)
  prompt(chat, mark_row(chat, "prompt"), turn.message)
end

local function ask(chat, turn, retry, again)
  if not chat.session then
    create(chat)
    -- A session made anew knows only the turns before, so the message is said again.
    retry = false
  end
  local params = {
    sessionId = chat.session, message = not retry and turn.message or nil, retry = retry or nil,
    options = config.get().options,
  }
  local id
  id = client.request("assistant/chat", params, function(failure, result)
    if chat.request ~= id or not vim.api.nvim_buf_is_valid(chat.buffer) then
      return
    end
    if failure and (failure.data or {}).kind == "sessionNotFound" and not again then
      chat.session = nil
      return ask(chat, turn, false, true)
    elseif failure or result.text == "" then
      take_back(chat, turn)
      return say(failure and failure.message or "The answer is empty.")
    end
    ended(chat)
    table.insert(chat.turns, { message = turn.message, answer = result.text })
    local lines = vim.split(result.text:gsub("\r", ""), "\n", { plain = true })
    local row = answer_row(chat)
    set_lines(chat, row, vim.list_extend(lines, { "" }))
    prompt(chat, row + #lines)
    for _, warning in ipairs(result.warnings or {}) do
      vim.notify("Inkling: " .. warning.message, vim.log.levels.WARN)
    end
  end, function(value)
    if chat.request == id and vim.api.nvim_buf_is_valid(chat.buffer) then
      listen(chat, value)
    end
  end)
  chat.request, chat.turn, chat.state = id, turn, "waiting"
  status.set(chat, chat)
end

local function show_question(chat, row, turn)
  local lines = vim.list_extend({ you, "" }, vim.split(turn.message, "\n", { plain = true }))
  vim.list_extend(lines, { "", inkling, "" })
  set_lines(chat, row, vim.list_extend(lines, { "" }))
  set_mark(chat, "prompt", row)
  set_mark(chat, "heading", row + #lines - 3)
end

local actions = {}

function actions.send(chat)
  local turn = { message = message_of(chat) }
  if turn.message == "" then
    return say("there is nothing to send; write below the last “" .. you .. "”")
  end
  show_question(chat, mark_row(chat, "prompt"), turn)
  ask(chat, turn, false)
end

-- The row of the last exchange's question.
local function last_row(chat)
  local rows = vim.api.nvim_buf_get_lines(chat.buffer, 0, mark_row(chat, "prompt"), false)
  for row = #rows, 1, -1 do
    if rows[row] == you then
      return row - 1
    end
  end
  return 0
end

function actions.retry(chat)
  local turn = table.remove(chat.turns)
  if not turn then
    return say("nothing was said yet")
  end
  show_question(chat, last_row(chat), turn)
  ask(chat, turn, true)
end

-- Takes the last exchange back; its message can be changed and sent again.
function actions.undo(chat)
  local turn = table.remove(chat.turns)
  if not turn then
    return say("nothing was said yet")
  end
  prompt(chat, last_row(chat), turn.message)
  client.request("session/rewind", { sessionId = chat.session, turns = 1 }, function(failure)
    if failure then
      -- Made again with the turns that are left.
      chat.session = nil
    end
  end)
end

local function stop(chat)
  if not chat.request then
    return false
  end
  client.cancel(chat.request)
  take_back(chat, chat.turn)
  return true
end

function M.act(buffer, name)
  local chat = chats[buffer]
  if not chat then
    return say("this is no chat; :InklingChat opens one")
  elseif name == "stop" then
    return stop(chat)
  elseif chat.request then
    return say("the answer is still being written")
  end
  actions[name](chat)
end

function M.names()
  return { "new", "retry", "send", "stop", "undo" }
end

local function fresh()
  local buffer = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(buffer, "inkling://chat/" .. buffer)
  vim.bo[buffer].filetype = "markdown"
  local chat = { buffer = buffer, turns = {} }
  chats[buffer] = chat
  prompt(chat, 0)
  for name, key in pairs(config.get().chat_keys) do
    if key then
      vim.keymap.set("n", key, function()
        M.act(buffer, name)
      end, { buffer = buffer, nowait = true, desc = "Inkling chat: " .. name })
    end
  end
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = buffer,
    callback = function()
      chats[buffer] = nil
      client.cancel(chat.request)
      status.set(chat, nil)
      if chat.session and client.running() then
        client.request("session/delete", { sessionId = chat.session }, function() end)
      end
    end,
  })
  return buffer
end

-- The chat that there is, or a new one.
function M.open(new)
  local buffer = not new and next(chats) or fresh()
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd(config.get().chat.window)
    vim.api.nvim_win_set_buf(0, buffer)
  end
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buffer), 0 })
end

function M.stop(buffer)
  return chats[buffer] ~= nil and stop(chats[buffer])
end

function M.stop_all()
  for _, chat in pairs(chats) do
    stop(chat)
  end
end

-- The chats go on in another voice with what was said.
function M.set_voice(voice)
  for _, chat in pairs(chats) do
    if chat.session then
      client.request("session/update", {
        sessionId = chat.session, personality = voice, keepHistory = true,
      }, function(failure)
        if failure then
          say(failure.message)
        end
      end)
    end
  end
end

return M
