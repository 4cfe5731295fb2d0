-- The program's other commands, as in a shell: `inkling models list`.
local config = require("inkling.config")

local M = {}

-- What stands before `connect` in the setting: the program, and what may be before it, such as `env` or `ssh`.
function M.words(arguments)
  local words = {}
  for index, word in ipairs(config.get().command) do
    if index > 1 and (word == "connect" or word == "serve") then
      break
    end
    table.insert(words, word)
  end
  return vim.list_extend(words, arguments)
end

-- Runs it; done(status, output, problem) is called later, with a status of -1 when there is no such program.
function M.run(arguments, done)
  local words, output, problem = M.words(arguments), "", ""
  local started = pcall(vim.fn.jobstart, words, {
    stdin = "null", stdout_buffered = true, stderr_buffered = true,
    on_stdout = function(_, lines)
      output = table.concat(lines, "\n")
    end,
    on_stderr = function(_, lines)
      problem = vim.trim(table.concat(lines, "\n"))
    end,
    on_exit = function(_, status)
      done(status, output, problem ~= "" and problem or ("%s ended with status %d"):format(words[1], status))
    end,
  })
  if not started then
    vim.schedule(function()
      done(-1, "", words[1] .. " could not be started. Is Inkling installed and the setting `command` right?")
    end)
  end
end

return M
