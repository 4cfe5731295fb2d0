-- Changes of a buffer: the smallest edits that make one text of another, blocks of lines, and their undo steps.
local text = require("inkling.text")

local M = {}

-- Words, runs of blanks, and line ends, each apart.
local function tokens(source)
  local found = {}
  local index = 1
  while index <= #source do
    local stop = select(2, source:find("^\n", index)) or select(2, source:find("^[ \t\r]+", index))
      or select(2, source:find("^[^ \t\r\n]+", index))
    table.insert(found, source:sub(index, stop))
    index = stop + 1
  end
  return found
end

local function as_lines(parts)
  local lines = {}
  for index, part in ipairs(parts) do
    lines[index] = part == "\n" and "\1" or part
  end
  return #lines == 0 and "" or table.concat(lines, "\n") .. "\n"
end

-- Byte offsets in source, ascending: for answers that come without edits of their own.
function M.between(source, target)
  if source == target then
    return {}
  end
  local old, new = tokens(source), tokens(target)
  local hunks = vim.diff(as_lines(old), as_lines(new), { result_type = "indices", algorithm = "histogram" })
  local starts, position = {}, 0
  for index, part in ipairs(old) do
    starts[index] = position
    position = position + #part
  end
  starts[#old + 1] = position
  local edits = {}
  for _, hunk in ipairs(hunks) do
    local first, count, new_first, new_count = unpack(hunk)
    -- Of an insertion, `first` is the token before it.
    local from = count == 0 and first + 1 or first
    table.insert(edits, {
      start = starts[from],
      ["end"] = starts[from + count],
      newText = table.concat(new, "", new_first, new_first + new_count - 1),
    })
  end
  return edits
end

function M.applied(source, edits)
  local parts, position = {}, 0
  for _, edit in ipairs(edits) do
    if edit.start < position or edit["end"] < edit.start or edit["end"] > #source then
      return nil
    end
    table.insert(parts, source:sub(position + 1, edit.start))
    table.insert(parts, edit.newText)
    position = edit["end"]
  end
  table.insert(parts, source:sub(position + 1))
  return table.concat(parts)
end

-- The daemon's edits as byte offsets. They are used only when they lead to the text that is shown.
function M.of_answer(source, answer, encoding)
  local edits = {}
  for index, edit in ipairs(answer.edits or {}) do
    edits[index] = {
      start = text.byte_offset(source, edit.start, encoding),
      ["end"] = text.byte_offset(source, edit["end"], encoding),
      newText = edit.newText,
    }
  end
  if M.applied(source, edits) == answer.text then
    return edits
  end
  return M.between(source, answer.text)
end

-- Holds the cursors and the marks a to z at their text: a change of part of a line drops the marks of that line, and
-- leaves cursors at their column. What was in a word that is replaced is at its beginning then. Answers what puts them
-- there.
local function hold(buffer)
  local held = {}
  local function add(row, column, put)
    if row < vim.api.nvim_buf_line_count(buffer) then
      local mark = vim.api.nvim_buf_set_extmark(buffer, text.namespace, row, column, {
        right_gravity = false, strict = false,
      })
      table.insert(held, { mark = mark, put = put })
    end
  end
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local row, column = unpack(vim.api.nvim_win_get_cursor(window))
    add(row - 1, column, function(new_row, new_column)
      pcall(vim.api.nvim_win_set_cursor, window, { new_row + 1, new_column })
    end)
  end
  for _, mark in ipairs(vim.fn.getmarklist(buffer)) do
    local name = mark.mark:match("^'(%l)$")
    if name and mark.pos[2] > 0 then
      add(mark.pos[2] - 1, math.max(mark.pos[3] - 1, 0), function(row, column)
        vim.api.nvim_buf_call(buffer, function()
          vim.fn.setpos("'" .. name, { 0, row + 1, column + 1, 0 })
        end)
      end)
    end
  end
  return function()
    for _, entry in ipairs(held) do
      local position = vim.api.nvim_buf_get_extmark_by_id(buffer, text.namespace, entry.mark, {})
      vim.api.nvim_buf_del_extmark(buffer, text.namespace, entry.mark)
      if position[1] then
        entry.put(position[1], position[2])
      end
    end
  end
end

-- Runs a change as an undo step of its own: what changes a buffer outside a command is otherwise joined with what was
-- changed before it. Setting 'undolevels', even to the same value, ends a step; nobody else is to be told of it.
function M.as_one_step(buffer, change)
  local put_back = hold(buffer)
  local function end_step()
    vim.cmd("noautocmd let &g:undolevels = &g:undolevels")
  end
  vim.api.nvim_buf_call(buffer, end_step)
  local done, problem = pcall(change)
  vim.api.nvim_buf_call(buffer, end_step)
  put_back()
  if not done then
    error(problem, 0)
  end
end

-- Answers what tells the row and the column of a byte of a region's text.
function M.places(region, source)
  local starts, position = { 0 }, 1
  while true do
    local stop = source:find("\n", position, true)
    if not stop then
      break
    end
    table.insert(starts, stop)
    position = stop + 1
  end
  return function(offset)
    local line = #starts
    while starts[line] > offset do
      line = line - 1
    end
    return region[1] + line - 1, offset - starts[line] + (line == 1 and region[2] or 0)
  end
end

function M.replace(buffer, region, source, edits)
  local place = M.places(region, source)
  M.as_one_step(buffer, function()
    -- From the last to the first, so that the places of those before stay right.
    for index = #edits, 1, -1 do
      local edit = edits[index]
      local start_row, start_column = place(edit.start)
      local end_row, end_column = place(edit["end"])
      local lines = vim.split(edit.newText, "\n", { plain = true })
      vim.api.nvim_buf_set_text(buffer, start_row, start_column, end_row, end_column, lines)
    end
  end)
end

local function blank(buffer, row)
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
  return line == nil or not line:find("%S")
end

-- Puts a text as a block of lines of its own before or behind a region, with blank lines around it.
function M.insert_block(buffer, region, block, above)
  local lines = vim.split(block, "\n", { plain = true })
  local count = vim.api.nvim_buf_line_count(buffer)
  if count == 1 and blank(buffer, 0) then
    return M.as_one_step(buffer, function()
      vim.api.nvim_buf_set_lines(buffer, 0, 1, false, lines)
    end)
  end
  local row = above and region[1] or region[3] + 1
  if row > 0 and not blank(buffer, row - 1) then
    table.insert(lines, 1, "")
  end
  if row < count and not blank(buffer, row) then
    table.insert(lines, "")
  end
  M.as_one_step(buffer, function()
    vim.api.nvim_buf_set_lines(buffer, row, row, false, lines)
  end)
end

return M
