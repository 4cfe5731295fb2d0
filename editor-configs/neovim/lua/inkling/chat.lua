-- A conversation in a buffer. The turns are kept here too, so that the session can be made again when the daemon was
-- started anew.
local client = require("inkling.client")
local config = require("inkling.config")
local session = require("inkling.chatsession")
local status = require("inkling.status")
local text = require("inkling.text")
local view = require("inkling.chatview")

local M = {}

local chats = {}

local function say(message)
  vim.notify("Inkling: " .. message, vim.log.levels.ERROR)
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
    view.partial(chat, shown)
  elseif value.kind == "begin" or value.kind == "report" then
    chat.progress = { message = value.message or value.title, percentage = value.percentage }
  end
  status.set(chat, chat)
end

local function ended(chat)
  chat.request, chat.partial, chat.progress, chat.state, chat.meter = nil, nil, nil, nil, nil
  status.set(chat, nil)
end

-- All that was shown is void: the buffer is as before, with the message to be sent again, or with the answer that was
-- to be given anew.
local function take_back(chat, turn)
  ended(chat)
  if turn.answer then
    table.insert(chat.turns, turn)
    return view.answer(chat, turn.answer)
  end
  view.prompt(chat, view.prompt_row(chat), turn.message)
end

local function ask(chat, turn, retry, again)
  if not chat.session then
    session.create(chat, turn.message)
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
    view.answer(chat, result.text)
    session.warn(result)
  end, function(value)
    if chat.request == id and vim.api.nvim_buf_is_valid(chat.buffer) then
      listen(chat, value)
    end
  end)
  chat.request, chat.turn, chat.state = id, turn, "waiting"
  status.set(chat, chat)
end

local actions = {}

function actions.send(chat)
  local turn = { message = view.message(chat) }
  if turn.message == "" then
    return say("there is nothing to send; write below the last “" .. view.you .. "”")
  end
  view.question(chat, view.prompt_row(chat), turn.message)
  ask(chat, turn, false)
end

function actions.retry(chat)
  local turn = table.remove(chat.turns)
  if not turn then
    return say("nothing was said yet")
  end
  view.question(chat, view.last_row(chat), turn.message)
  ask(chat, turn, true)
end

-- Takes the last exchange back; its message can be changed and sent again.
function actions.undo(chat)
  local turn = table.remove(chat.turns)
  if not turn then
    return say("nothing was said yet")
  end
  view.prompt(chat, view.last_row(chat), turn.message)
  if not chat.session then
    return
  end
  client.request("session/rewind", { sessionId = chat.session, turns = 1 }, function(failure)
    if failure then
      -- Made again with the turns that are left.
      chat.session = nil
    end
  end)
end

-- Has the session kept on the disk: it is made again so, and the one that would end with the buffer is deleted.
function actions.keep(chat)
  if chat.kept then
    return vim.notify("Inkling: this conversation is kept")
  end
  chat.kept = true
  local before = chat.session
  if #chat.turns == 0 and not before then
    return vim.notify("Inkling: this conversation will be kept")
  end
  client.request("session/create", session.described(chat), function(failure, result)
    if failure then
      chat.kept = false
      return say(failure.message)
    end
    chat.session = result.session.sessionId
    session.warn(result)
    vim.notify("Inkling: this conversation is kept; :InklingSessions lists it")
    if before then
      client.request("session/delete", { sessionId = before }, function() end)
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
  return { "keep", "new", "retry", "send", "stop", "undo" }
end

local function fresh()
  local buffer = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(buffer, "inkling://chat/" .. buffer)
  vim.bo[buffer].filetype = "markdown"
  local chat = {
    buffer = buffer, turns = {}, kept = config.get().chat.keep, instructions = config.get().chat.instructions,
  }
  chats[buffer] = chat
  view.prompt(chat, 0)
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
      if chat.session and not chat.kept and client.running() then
        client.request("session/delete", { sessionId = chat.session }, function() end)
      end
    end,
  })
  return chat
end

local function show(buffer)
  local window = vim.fn.bufwinid(buffer)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd(config.get().chat.window)
    vim.api.nvim_win_set_buf(0, buffer)
  end
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buffer), 0 })
end

-- The chat that there is, or a new one.
function M.open(new)
  show(not new and next(chats) or fresh().buffer)
end

-- Goes on with a session that was kept: what session/get says of it.
function M.resume(kept, entries)
  for buffer, chat in pairs(chats) do
    if chat.session == kept.sessionId then
      return show(buffer)
    end
  end
  local chat = fresh()
  session.adopt(chat, kept, entries)
  for _, turn in ipairs(chat.turns) do
    view.question(chat, view.prompt_row(chat), turn.message)
    view.answer(chat, turn.answer)
  end
  show(chat.buffer)
end

-- A session is no longer kept: a chat that shows it goes on with one of its own.
function M.forget(id)
  for _, chat in pairs(chats) do
    if chat.session == id then
      chat.session, chat.kept = nil, false
    end
  end
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
    chat.voice = voice
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
