-- What is at work, in a few words for a status line.
local M = {}

local running = {}
local order = 0

local function words(entry)
  local progress = entry.progress
  if entry.state == "writing" then
    return progress and progress.message and progress.message:find("^Writing") and progress.message or "writing"
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
