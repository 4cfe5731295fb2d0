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

local changing = { replace = true, below = true, above = true }

local function put(task, answer, region)
  local placement = request.placement(task.spec)
  if placement == "replace" then
    local source = text.get(task.buffer, region)
    edits.replace(task.buffer, region, source, edits.of_answer(source, answer, client.encoding))
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

-- The text is not what the answer was written for. What is chosen by mistake, or not at all, leaves all as it is.
local function ask(task)
  local choices = {
    { "Keep my text" },
    { "Ask again, for the text as it is now", task_module().retry },
    { "Replace it with this answer all the same", function()
      M.accept(task, true)
    end },
  }
  vim.ui.select(choices, {
    prompt = "Inkling: the text was changed since it was asked for",
    format_item = function(choice)
      return choice[1]
    end,
  }, function(choice)
    if choice and choice[2] and not task.closed then
      choice[2](task)
    end
  end)
end

-- Puts the answer that is shown where it belongs and ends the task; answers whether it could. `sure`: also over a text
-- that was changed meanwhile.
function M.accept(task, sure)
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
  if changing[placement] and not vim.bo[task.buffer].modifiable then
    task_module().fail("this buffer cannot be changed")
    return false
  end
  local present = text.get(task.buffer, region)
  if placement == "replace" and not answer.known[present] and not sure then
    if not present:find("%S") then
      task_module().fail(("the text is gone. %s yanks the answer."):format(config.get().keys.yank or "Yank"))
    elseif task.spec.now then
      task_module().fail("the text was changed since it was asked for. The answer is shown at it.")
    else
      ask(task)
    end
    return false
  end
  put(task, answer, region)
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
  local mode = vim.api.nvim_get_mode().mode
  local busy = vim.api.nvim_get_current_buf() == task.buffer and mode ~= "n" and mode ~= "nt"
  if not busy then
    if not M.accept(task) then
      task.spec.now = false
      require("inkling.preview").show(task)
      require("inkling.keys").refresh()
    end
    return
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = { "*:n", "*:nt" },
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

return M
