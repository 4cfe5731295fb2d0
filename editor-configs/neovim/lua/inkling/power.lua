-- Whether the machine runs on its battery. Where that cannot be read, it does not.
local M = {}

-- Where Linux tells it.
M.folder = "/sys/class/power_supply"

-- An answer holds for so many milliseconds.
local lasting = 30000
local asked, answer = nil, false

local function first_line(path)
  local file = io.open(path)
  local line = file and file:read("*l")
  if file then
    file:close()
  end
  return line
end

-- Mains that are online decide; then any battery that empties, but not that of a mouse or a keyboard.
function M.read(folder)
  local empties = false
  for _, supply in ipairs(vim.fn.glob(vim.fn.fnameescape(folder) .. "/*", true, true)) do
    local kind = first_line(supply .. "/type")
    if kind == "Battery" then
      local outside = first_line(supply .. "/scope") == "Device"
      empties = empties or (not outside and first_line(supply .. "/status") == "Discharging")
    elseif kind and first_line(supply .. "/online") == "1" then
      return false
    end
  end
  return empties
end

-- What `pmset -g batt` says of a Mac.
function M.read_pmset(output)
  return output:find("Now drawing from 'Battery Power'", 1, true) ~= nil
end

function M.on_battery()
  local now = (vim.uv or vim.loop).now()
  if asked and now - asked < lasting then
    return answer
  end
  asked = now
  if vim.fn.isdirectory(M.folder) == 1 then
    answer = M.read(M.folder)
  elseif vim.fn.executable("pmset") == 1 then
    answer = M.read_pmset(vim.fn.system({ "pmset", "-g", "batt" }))
  end
  return answer
end

return M
