-- What becomes of an answer: where it is put, and what is refused.
local client = require("inkling.client")
local config = require("inkling.config")
local edits = require("inkling.edits")
local request = require("inkling.request")
local text = require("inkling.text")
local window = require("inkling.window")

local M = {}

local function task_module()
  return require("inkling.task")
end

local function put(task, answer, region)
  local placement = request.placement(task.spec)
  if placement == "replace" then
    if text.get(task.buffer, region) ~= task.source then
      return ("the text was changed since it was asked for. %s asks for the new text, %s yanks this answer."):format(
        config.get().keys.retry or "Retry", config.get().keys.yank or "yank")
    end
    local result = { text = answer.text, edits = answer.edits }
    edits.replace(task.buffer, region, task.source, edits.of_answer(task.source, result, client.encoding))
  elseif placement == "below" or placement == "above" then
    edits.insert_block(task.buffer, region, answer.text, placement == "above")
  elseif placement == "buffer" then
    window.in_buffer(answer.text, vim.bo[task.buffer].filetype, task.spec.now)
  elseif placement == "echo" then
    window.echo(answer.text)
  else
    vim.fn.setreg(config.get().register, answer.text)
    vim.notify("Inkling: the answer is in register " .. config.get().register)
  end
end

-- Puts the answer that is shown where it belongs and ends the task; answers whether it could.
function M.accept(task)
  if task.state ~= "done" then
    vim.notify("Inkling: the answer is still being written")
    return false
  end
  local answer = task.answers[task.index]
  local region = text.where(task.buffer, task.mark)
  if not region then
    task_module().fail("the text is gone")
    return false
  end
  local placement = request.placement(task.spec)
  local changes = placement == "replace" or placement == "below" or placement == "above"
  if changes and not vim.bo[task.buffer].modifiable then
    task_module().fail("this buffer cannot be changed")
    return false
  end
  local problem = put(task, answer, region)
  if problem then
    task_module().fail(problem)
    return false
  end
  task_module().close(task)
  if task.spec.now and answer.warnings[1] then
    vim.notify("Inkling: " .. table.concat(answer.warnings, "\n"), vim.log.levels.WARN)
  end
  return true
end

-- Without a preview: at once, but not into what is being typed or selected; that would be one undo step with it, or
-- move the selection's text. Then when that has ended. What cannot be put there is shown as a preview.
function M.when_possible(task)
  if task.closed then
    return
  end
  local busy = vim.api.nvim_get_current_buf() == task.buffer and vim.api.nvim_get_mode().mode ~= "n"
  if not busy then
    if not M.accept(task) then
      task.spec.now = false
      require("inkling.preview").show(task)
      require("inkling.keys").refresh()
    end
    return
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "*:n",
    once = true,
    callback = function()
      vim.schedule(function()
        M.when_possible(task)
      end)
    end,
  })
end

function M.yank(task)
  if task.state == "done" then
    vim.fn.setreg(config.get().register, task.answers[task.index].text)
    vim.notify("Inkling: the answer is in register " .. config.get().register)
  end
end

function M.diff(task)
  if task.state ~= "done" then
    return
  end
  local function ended(words)
    return words:sub(-1) == "\n" and words or words .. "\n"
  end
  local changes = vim.diff(ended(task.source), ended(task.answers[task.index].text), { ctxlen = 3 })
  window.float(changes == "" and "no difference" or changes, "diff")
end

return M
