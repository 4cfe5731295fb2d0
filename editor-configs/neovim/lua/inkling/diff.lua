-- The difference between a text and its answer in a window, where a hunk can be taken by itself.
local config = require("inkling.config")
local hunks = require("inkling.hunks")
local text = require("inkling.text")
local window = require("inkling.window")

local M = {}

local function ended(words)
  return words:sub(-1) == "\n" and words or words .. "\n"
end

-- Which hunk each row of a unified difference belongs to: that of its changed lines, else the next one, else the last.
function M.hunk_of_rows(rows)
  local found, count, inside = {}, 0, false
  for index, row in ipairs(rows) do
    local changed = row:find("^[-+]") ~= nil
    if changed and not inside then
      count = count + 1
    end
    inside = changed
    found[index] = changed and count or count + 1
  end
  for index = 1, #found do
    found[index] = math.min(found[index], count)
  end
  return found
end

-- A hunk of lines, as vim.diff() tells it, as a change of bytes.
function M.change(source, answer, hunk)
  local first, count, new_first, new_count = unpack(hunk)
  local lines = vim.split(source, "\n", { plain = true })
  local new = vim.list_slice(vim.split(answer, "\n", { plain = true }), new_first, new_first + new_count - 1)
  local function start_of(line)
    local offset = 0
    for index = 1, line - 1 do
      offset = offset + #lines[index] + 1
    end
    return offset
  end
  local words = table.concat(new, "\n")
  if count == 0 then
    -- Comes in behind the line `first`.
    local offset = first == 0 and 0 or start_of(first) + #lines[first]
    return { start = offset, ["end"] = offset, newText = first == 0 and words .. "\n" or "\n" .. words }
  end
  local start, last = start_of(first), first + count - 1
  local stop = start_of(last) + #lines[last]
  if new_count == 0 and last < #lines then
    stop = stop + 1
  elseif new_count == 0 and first > 1 then
    start = start - 1
  end
  return { start = start, ["end"] = stop, newText = words }
end

local function take(task, rows, row, source)
  local region = text.where(task.buffer, task.mark)
  if task.closed or not region or text.get(task.buffer, region) ~= source then
    return vim.notify("Inkling: the text is not what it was when the difference was shown")
  end
  local answer = task.answers[task.index].text
  local index = M.hunk_of_rows(rows)[row]
  local hunk = vim.diff(ended(source), ended(answer), { result_type = "indices" })[index]
  vim.cmd("close")
  if not hunk then
    return
  end
  hunks.put(task, { M.change(source, answer, hunk) }, source, region)
  if not task.closed then
    M.show(task, row)
  end
end

function M.show(task, row)
  local region = text.where(task.buffer, task.mark)
  if task.state ~= "done" or not region then
    return
  end
  local source = text.get(task.buffer, region)
  local changes = vim.diff(ended(source), ended(task.answers[task.index].text), { ctxlen = 3 })
  if changes == "" then
    return window.float("no difference")
  end
  window.float(changes, "diff")
  local rows = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  vim.api.nvim_win_set_cursor(0, { math.min(row or 1, #rows), 0 })
  local key = config.get().keys.hunk
  if key and hunks.of(task) then
    vim.keymap.set("n", key, function()
      take(task, rows, vim.api.nvim_win_get_cursor(0)[1], source)
    end, { buffer = 0, nowait = true, desc = "Inkling: take this hunk" })
  end
end

return M
