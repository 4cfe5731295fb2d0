-- The single changes of an answer: shown in the text, gone through, and taken one by one. They always lead from the
-- text as it is to the answer, so they stay right when some were taken, taken back, or the text was edited.
local client = require("inkling.client")
local edits = require("inkling.edits")
local request = require("inkling.request")
local text = require("inkling.text")

local M = {}

-- Longer texts are not compared each time that something changes: their changes are taken, but not marked.
local longest, most = 20000, 500

local function say(message)
  vim.notify("Inkling: " .. message)
end

-- Changes with nothing but blanks between them belong together: one of them alone would make no sense.
local function joined(source, changes)
  local found = {}
  for _, change in ipairs(changes) do
    local last = found[#found]
    local between = last and source:sub(last["end"] + 1, change.start)
    if between and between:find("^[ \t]*$") then
      last["end"], last.newText = change["end"], last.newText .. between .. change.newText
      table.insert(last.parts, change)
    else
      table.insert(found, {
        start = change.start, ["end"] = change["end"], newText = change.newText, parts = { change },
      })
    end
  end
  return found
end

-- The changes of the answer that is shown, the text that they begin with, and its region; nil when there can be none,
-- and for texts of more bytes than a limit.
function M.of(task, limit)
  if task.state ~= "done" or task.closed or request.placement(task.spec) ~= "replace" then
    return nil
  end
  local region = text.where(task.buffer, task.mark)
  local source = region and text.get(task.buffer, region)
  if not source or not source:find("%S") or (limit and #source > limit) then
    return nil
  end
  return joined(source, edits.of_answer(source, task.answers[task.index], client.encoding)), source, region
end

-- Puts some changes into the text, as one undo step; the rest of the answer stays. The last ones end the task.
function M.put(task, changes, source, region)
  local after = edits.applied(source, changes)
  if not vim.bo[task.buffer].modifiable then
    return say("this buffer cannot be changed")
  end
  edits.replace(task.buffer, region, source, changes)
  text.refollow(task.buffer, task.mark, region, after)
  for _, answer in ipairs(task.answers) do
    if answer.known[source] then
      answer.known[after] = true
    end
  end
  if after == task.answers[task.index].text then
    require("inkling.task").close(task)
  else
    require("inkling.preview").show(task)
  end
end

-- Takes the change at the cursor: the one it is in, else the next one in its line, else the one before in it.
function M.take(task)
  local changes, source, region = M.of(task)
  if not changes then
    return say("there are no single changes to take here")
  end
  local place = edits.places(region, source)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  row = row - 1
  local chosen = nil
  for _, change in ipairs(changes) do
    local start_row, start_column = place(change.start)
    local end_row, end_column = place(change["end"])
    if row >= start_row and row <= end_row then
      chosen = change
      if row < end_row or column < math.max(end_column, start_column + 1) then
        break
      end
    end
  end
  if not chosen then
    return say("there is no change in this line")
  end
  M.put(task, chosen.parts, source, region)
end

-- Moves the cursor to the next change, or with -1 to the one before.
function M.go(task, step)
  local changes, source, region = M.of(task)
  local place = changes and edits.places(region, source)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  row = row - 1
  local target = nil
  for _, change in ipairs(changes or {}) do
    local change_row, change_column = place(change.start)
    local after = change_row > row or (change_row == row and change_column > column)
    local before = change_row < row or (change_row == row and change_column < column)
    if step > 0 and after then
      target = { change_row, change_column }
      break
    elseif step < 0 and before then
      target = { change_row, change_column }
    end
  end
  if not target then
    return say(step > 0 and "no change comes after this" or "no change comes before this")
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { target[1] + 1, target[2] })
end

function M.hide(task)
  for _, mark in ipairs(task.hunk_marks or {}) do
    text.forget(task.buffer, mark)
  end
  task.hunk_marks = nil
end

-- Marks in the text what would be changed; where something comes in, the character before it.
function M.show(task)
  M.hide(task)
  local changes, source, region = M.of(task, longest)
  task.hunks = changes and #changes or 0
  if not changes or #changes > most then
    return
  end
  local place = edits.places(region, source)
  task.hunk_marks = {}
  for _, change in ipairs(changes) do
    local start, stop = change.start, change["end"]
    if start == stop and start > 0 then
      start = start - #source:sub(1, start):match("[^\128-\191]?[\128-\191]*$")
    end
    local start_row, start_column = place(start)
    local end_row, end_column = place(stop)
    table.insert(task.hunk_marks, vim.api.nvim_buf_set_extmark(task.buffer, text.namespace, start_row, start_column, {
      end_row = end_row, end_col = end_column, hl_group = "InklingChange", priority = 4097,
    }))
  end
end

return M
