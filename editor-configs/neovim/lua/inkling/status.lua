-- What is at work, in a few words for a status line.
local M = {}

local uv = vim.uv or vim.loop

local running = {}
local order = 0

-- Counts the parts in which a text comes, which are about its tokens, and now and then what that is in a second.
function M.count(entry)
  local now = uv.hrtime() / 1e9
  local meter = entry.meter
  if not meter then
    entry.meter = { began = now, said = now, parts = 0 }
    return
  end
  meter.parts = meter.parts + 1
  if now - meter.said >= 0.5 then
    meter.said, meter.rate = now, meter.parts / (now - meter.began)
  end
end

local function words(entry)
  local progress = entry.progress
  if entry.state == "writing" then
    local said = progress and progress.message and progress.message:find("^Writing") and progress.message or "writing"
    local rate = entry.meter and entry.meter.rate
    return rate and ("%s, %.0f tokens/s"):format(said, rate) or said
  elseif progress and progress.message then
    local percentage = progress.percentage
    return percentage and ("%s %d %%"):format(progress.message, percentage) or progress.message
  end
  return "waiting"
end

M.words = words

function M.set(key, entry)
  local before = running[key]
  order = order + 1
  running[key] = entry and { entry = entry, said = words(entry), order = before and before.order or order } or nil
  if (before and before.said) ~= (running[key] and running[key].said) then
    vim.cmd("redrawstatus")
  end
end

-- Empty when nothing is at work; the words of the latest otherwise.
function M.get()
  local latest, count = nil, 0
  for _, item in pairs(running) do
    count = count + 1
    if latest == nil or item.order > latest.order then
      latest = item
    end
  end
  if not latest then
    return ""
  end
  local said = "Inkling: " .. words(latest.entry)
  return count > 1 and ("%s (%d)"):format(said, count) or said
end

return M
