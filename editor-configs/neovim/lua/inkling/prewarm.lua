-- Has the daemon read a selection that rests, so that the first word comes sooner. Only when it runs already or the
-- settings say that it may be started for it; not on battery; never of files whose names say that they hold secrets.
local client = require("inkling.client")
local config = require("inkling.config")
local power = require("inkling.power")
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
  local settings = config.get().prewarm
  if not region or M.denied(vim.api.nvim_buf_get_name(buffer)) or (not settings.battery and power.on_battery()) then
    return
  end
  local words = text.get(buffer, region)
  if #words > settings.characters * 4 or vim.fn.strchars(words) > settings.characters
    or not words:find("%S") or text.problem(buffer, region) then
    return
  end
  local request = require("inkling.request")
  local params = request.common(buffer, region, {})
  -- The prompt names the tone before the text, so one has to be guessed: the one that a request without a tone is
  -- answered in, as the last one was.
  params.text, params.tone = words, config.get().tone or request.default_tone or "formal"
  client.notify("assistant/prewarm", { method = "assistant/rephrase", params = params }, settings.start)
  sent = true
end

-- The selection has begun or moved.
function M.selecting()
  local settings = config.get().prewarm
  if settings.enabled and (settings.start or client.running()) then
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
