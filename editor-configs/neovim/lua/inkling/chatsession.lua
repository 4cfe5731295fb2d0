-- The daemon's side of a chat: its session is made when the first message is sent, and again when the daemon has
-- forgotten it.
local client = require("inkling.client")
local config = require("inkling.config")

local M = {}

local count = 0

function M.warn(result)
  for _, warning in ipairs(result.warnings or {}) do
    vim.notify("Inkling: " .. warning.message, vim.log.levels.WARN)
  end
end

local function transcript(chat)
  local entries = {}
  if chat.instructions then
    table.insert(entries, { role = "instructions", text = chat.instructions })
  end
  for _, turn in ipairs(chat.turns) do
    table.insert(entries, { role = "prompt", text = turn.message, feature = "assistant/chat" })
    table.insert(entries, { role = "response", text = turn.answer, feature = "assistant/chat" })
  end
  return entries
end

-- The session's parameters. One that is kept is found again by its title, its first message.
function M.described(chat, message)
  local first = chat.turns[1] and chat.turns[1].message or message or ""
  return {
    title = vim.fn.strcharpart(first:match("[^\n]*"), 0, 60), instructions = chat.instructions,
    personality = chat.voice or config.get().voice, contextPolicy = "slidingWindow", persist = chat.kept,
    transcript = transcript(chat),
  }
end

function M.create(chat, message)
  count = count + 1
  -- The name is chosen here, so that the message can be sent without waiting. A kept one outlives this process.
  local maker = chat.kept and os.date("%Y%m%d-%H%M%S") or vim.fn.getpid()
  chat.session = ("neovim-%s-%d"):format(maker, count)
  local params = M.described(chat, message)
  params.sessionId = chat.session
  client.request("session/create", params, function(failure, result)
    if failure then
      chat.session = nil
    else
      M.warn(result)
    end
  end)
end

-- Has a chat go on with a session that was kept, and with what was said in it.
function M.adopt(chat, kept, entries)
  chat.session, chat.kept, chat.voice = kept.sessionId, kept.persisted, kept.personality
  chat.instructions = kept.instructions ~= "" and kept.instructions or nil
  local message = nil
  for _, entry in ipairs(entries) do
    if entry.role == "prompt" then
      message = entry.text or ""
    elseif entry.role == "response" and message then
      local answer = entry.text or require("inkling.request").shown_value(entry.value)
      table.insert(chat.turns, { message = message, answer = answer })
      message = nil
    end
  end
end

return M
