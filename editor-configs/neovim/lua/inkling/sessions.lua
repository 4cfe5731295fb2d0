-- :InklingSessions: the conversations that are kept on the disk, also those of other editors and of the terminal.
local client = require("inkling.client")
local window = require("inkling.window")

local M = {}

local function fail(failure)
  vim.notify("Inkling: " .. failure.message, vim.log.levels.ERROR)
end

local function title(session)
  return session.title ~= "" and session.title or session.sessionId
end

local function described(session)
  local day, time = session.updatedAt:match("^(%d+%-%d+%-%d+)T(%d+:%d+)")
  return ("%s, turns: %d, %s %s UTC"):format(title(session), session.turns, day or "", time or "")
end

local function delete(session)
  local prompt = ("Delete “%s” for good?"):format(title(session))
  vim.ui.select({ "No", "Yes, delete it" }, { prompt = prompt }, function(words)
    if words ~= "Yes, delete it" then
      return
    end
    client.request("session/delete", { sessionId = session.sessionId }, function(failure)
      if failure then
        return fail(failure)
      end
      require("inkling.chat").forget(session.sessionId)
      vim.notify(("Inkling: “%s” is deleted"):format(title(session)))
    end)
  end)
end

local actions = {
  { "Go on with it", function(session)
    client.request("session/get", { sessionId = session.sessionId }, function(failure, result)
      if failure then
        return fail(failure)
      end
      require("inkling.chat").resume(result.session, result.transcript)
    end)
  end },
  { "Show it as Markdown", function(session)
    local params = { sessionId = session.sessionId, format = "markdown" }
    client.request("session/export", params, function(failure, result)
      if failure then
        return fail(failure)
      end
      window.in_buffer(result.text, "markdown")
    end)
  end },
  { "Delete it", delete },
}

function M.choose()
  client.request("session/list", vim.empty_dict(), function(failure, result)
    if failure then
      return fail(failure)
    end
    local kept = {}
    for _, session in ipairs(result.sessions) do
      if session.persisted then
        table.insert(kept, 1, session)
      end
    end
    if #kept == 0 then
      return vim.notify("Inkling: no conversation is kept; “:InklingChat keep” keeps one")
    end
    vim.ui.select(kept, { prompt = "Conversation", format_item = described }, function(session)
      if not session then
        return
      end
      vim.ui.select(actions, {
        prompt = title(session),
        format_item = function(action)
          return action[1]
        end,
      }, function(action)
        if action then
          action[2](session)
        end
      end)
    end)
  end)
end

return M
