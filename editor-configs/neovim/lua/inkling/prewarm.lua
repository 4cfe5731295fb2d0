-- Has the daemon read a selection that rests, so that the first word comes sooner. Only when it runs already, and never
-- of files whose names say that they hold secrets.
local client = require("inkling.client")
local config = require("inkling.config")
local text = require("inkling.text")

local M = {}

local timer = (vim.uv or vim.loop).new_timer()
local sent = false
local generation = 0

function M.denied(name)
  local tail = vim.fn.fnamemodify(name, ":t")
  for _, glob in ipairs(config.get().prewarm.deny) do
    local pattern = "\\C" .. vim.fn.glob2regpat(glob)
    if vim.fn.match(tail, pattern) >= 0 or vim.fn.match(name, pattern) >= 0 then
      return true
    end
  end
  return false
end

function M.cancel()
  timer:stop()
  if sent then
    sent = false
    client.notify("assistant/prewarm", vim.empty_dict())
  end
end

-- A request is about to come: what was read is for it.
function M.used()
  timer:stop()
  generation = generation + 1
  sent = false
end

local function send()
  local buffer = vim.api.nvim_get_current_buf()
  local region = text.selected(buffer)
  if not region or not client.running() or M.denied(vim.api.nvim_buf_get_name(buffer)) then
    return
  end
  local words = text.get(buffer, region)
  if #words > config.get().prewarm.characters * 4 or vim.fn.strchars(words) > config.get().prewarm.characters
    or not words:find("%S") or text.problem(buffer, region) then
    return
  end
  local params = require("inkling.request").common(buffer, region, {})
  params.text, params.tone = words, config.get().tone or "formal"
  client.notify("assistant/prewarm", { method = "assistant/rephrase", params = params })
  sent = true
end

-- The selection has begun or moved.
function M.selecting()
  local settings = config.get().prewarm
  if settings.enabled and client.running() then
    timer:start(settings.milliseconds, 0, vim.schedule_wrap(send))
  end
end

-- The selection has ended, or the command line that was opened from it; what ended it may be a request, which comes
-- within this turn of the loop.
function M.selection_ended()
  timer:stop()
  if not sent then
    return
  end
  local ended = generation
  vim.schedule(function()
    if ended == generation and not vim.api.nvim_get_mode().mode:find("^[vVc\22]") then
      M.cancel()
    end
  end)
end

return M
