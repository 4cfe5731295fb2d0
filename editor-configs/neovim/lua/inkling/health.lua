-- :checkhealth inkling
local M = {}

-- The functions that report were renamed in 0.10.
local reports = vim.health or require("health")
local start, ok = reports.start or reports.report_start, reports.ok or reports.report_ok
local warn, fail = reports.warn or reports.report_warn, reports.error or reports.report_error

function M.check()
  local client, config = require("inkling.client"), require("inkling.config")
  start("Inkling")
  if vim.fn.has("nvim-0.7") == 1 then
    ok("Neovim is new enough")
  else
    fail("Neovim 0.7 or newer is needed")
  end
  local problems = config.problems()
  for _, problem in ipairs(problems) do
    warn(problem)
  end
  if #problems == 0 then
    ok("the settings are right")
  end
  local command = config.get().command
  if vim.fn.executable(command[1]) == 0 then
    return fail(command[1] .. " is not found", { "Install Inkling, or set `command` to where it is." })
  end
  ok(command[1] .. " is " .. vim.fn.exepath(command[1]))
  local answer, failure
  client.request("model/status", vim.empty_dict(), function(problem, result)
    failure, answer = problem, result
  end)
  vim.wait(5000, function()
    return failure ~= nil or answer ~= nil
  end, 10)
  if failure then
    return fail(failure.message)
  elseif not answer then
    return fail("the daemon does not answer", { "inkling status and inkling doctor say more." })
  end
  ok(("%s %s answers, positions are in %s"):format(client.server.name, client.server.version, client.encoding))
  local state = answer.availability
  if state.state ~= "unavailable" or state.reason == "unloaded" then
    ok(answer.model and "the model is " .. answer.model.name or "the model is loaded with the first request")
  else
    fail(state.message or state.reason, { state.remedy })
  end
end

return M
