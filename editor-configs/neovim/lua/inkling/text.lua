-- Texts and regions of buffers. A region is exact to the byte and is followed by an extmark; rows and columns count
-- from 0, and its end is the byte after its last one. What is typed at the edges of one of whole lines is in it.
local M = {}

M.namespace = vim.api.nvim_create_namespace("inkling")

local function line_of(buffer, row)
  return vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ""
end

-- The bytes of the character at a column, combining marks with it; a tab or an emoji is one character.
local function character_length(line, column)
  local rest = line:sub(column + 1):match("^[^%z]*")
  return rest == "" and 1 or #vim.fn.matchstr(rest, ".")
end

-- From marks as getpos() gives them; the second one is the last character of the selection, not what is after it.
local function between(buffer, first, last)
  local start_line, end_line = line_of(buffer, first[2] - 1), line_of(buffer, last[2] - 1)
  local start_column, end_column = math.min(first[3] - 1, #start_line), math.min(last[3] - 1, #end_line)
  end_column = math.min(end_column + character_length(end_line, end_column), #end_line)
  return { first[2] - 1, start_column, last[2] - 1, end_column }
end

function M.lines(buffer, first, last)
  return { first - 1, 0, last - 1, #line_of(buffer, last - 1), whole = true }
end

-- The lines around the cursor up to the next blank ones; nil in a blank line.
function M.paragraph(buffer, row)
  local function blank(index)
    return not line_of(buffer, index):find("%S")
  end
  if blank(row) then
    return nil
  end
  local first, last, count = row, row, vim.api.nvim_buf_line_count(buffer)
  while first > 0 and not blank(first - 1) do
    first = first - 1
  end
  while last + 1 < count and not blank(last + 1) do
    last = last + 1
  end
  return M.lines(buffer, first + 1, last + 1)
end

-- What an operator was called for.
function M.operated(buffer, kind)
  local first, last = vim.fn.getpos("'["), vim.fn.getpos("']")
  if kind == "block" then
    return nil, "a block cannot be taken; select characters (v) or lines (V)"
  elseif kind == "line" then
    return M.lines(buffer, first[2], last[2])
  end
  return between(buffer, first, last)
end

-- What a range of a command means: the last selection, exact to the character, when the range is its lines.
function M.ranged(buffer, first, last)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if from[2] == first and to[2] == last and first > 0 then
    local mode = vim.fn.visualmode()
    if mode == "\22" then
      return nil, "a block cannot be taken; select characters (v) or lines (V)"
    elseif mode == "v" then
      if vim.o.selection == "exclusive" and (from[2] ~= to[2] or from[3] ~= to[3]) then
        return { from[2] - 1, from[3] - 1, to[2] - 1, math.min(to[3] - 1, #line_of(buffer, to[2] - 1)) }
      end
      return between(buffer, from, to)
    end
  end
  return M.lines(buffer, first, last)
end

-- What is selected at the moment, while visual mode lasts; nil for a block.
function M.selected(buffer)
  local mode = vim.api.nvim_get_mode().mode
  local first, last = vim.fn.getpos("v"), vim.fn.getpos(".")
  if first[2] > last[2] or (first[2] == last[2] and first[3] > last[3]) then
    first, last = last, first
  end
  if mode == "V" then
    return M.lines(buffer, first[2], last[2])
  elseif mode == "v" then
    return between(buffer, first, last)
  end
end

function M.get(buffer, region)
  local lines = vim.api.nvim_buf_get_lines(buffer, region[1], region[3] + 1, false)
  if #lines == 0 then
    return ""
  end
  lines[#lines] = lines[#lines]:sub(1, region[4])
  lines[1] = lines[1]:sub(region[2] + 1)
  return table.concat(lines, "\n")
end

-- Valid UTF-8 is what JSON can carry; a NUL is no text, and functions of the editor end a string at it.
function M.problem(buffer, region)
  for row = region[1], region[3] do
    local line = line_of(buffer, row)
    if line:find("%z") then
      return ("line %d has a NUL byte"):format(row + 1)
    elseif not M.is_utf8(line) then
      return ("line %d is not valid UTF-8"):format(row + 1)
    end
  end
end

function M.is_utf8(line)
  if not line:find("[\128-\255]") then
    return true
  end
  local index, length = 1, #line
  while index <= length do
    local byte = line:byte(index)
    local more = byte < 0x80 and 0 or byte < 0xC2 and -1 or byte < 0xE0 and 1 or byte < 0xF0 and 2
      or byte < 0xF5 and 3 or -1
    if more < 0 or index + more > length then
      return false
    end
    for offset = 1, more do
      local follower = line:byte(index + offset)
      if follower < 0x80 or follower > 0xBF then
        return false
      end
    end
    local second = more > 0 and line:byte(index + 1) or 0
    if (byte == 0xE0 and second < 0xA0) or (byte == 0xED and second > 0x9F) or (byte == 0xF0 and second < 0x90)
      or (byte == 0xF4 and second > 0x8F) then
      return false
    end
    index = index + more + 1
  end
  return true
end

-- The byte offset of a position that counts in the units of an encoding.
function M.byte_offset(text, position, encoding)
  if encoding == "utf-8" then
    return math.min(position, #text)
  end
  local units, index = 0, 1
  while index <= #text and units < position do
    local byte = text:byte(index)
    local width = byte < 0x80 and 1 or byte < 0xE0 and 2 or byte < 0xF0 and 3 or 4
    units = units + ((width == 4 and encoding == "utf-16") and 2 or 1)
    index = index + width
  end
  return math.min(index - 1, #text)
end

-- Which marks are of whole lines, by buffer and mark.
local whole = {}

-- Follows a region.
function M.follow(buffer, region, dim)
  local mark = vim.api.nvim_buf_set_extmark(buffer, M.namespace, region[1], region[2], {
    end_row = region[3],
    end_col = region[4],
    hl_group = dim and "InklingSource" or nil,
    priority = 4096,
  })
  whole[buffer .. " " .. mark] = region.whole
  return mark
end

-- Has a mark follow what a region has become: a mark at the edge of a replaced text can have moved across it.
function M.refollow(buffer, mark, region, words)
  local _, breaks = words:gsub("\n", "")
  local last = words:match("[^\n]*$")
  local details = vim.api.nvim_buf_get_extmark_by_id(buffer, M.namespace, mark, { details = true })[3]
  vim.api.nvim_buf_set_extmark(buffer, M.namespace, region[1], region[2], {
    id = mark,
    end_row = region[1] + breaks,
    end_col = #last + (breaks == 0 and region[2] or 0),
    hl_group = details.hl_group,
    priority = details.priority,
  })
end

function M.where(buffer, mark)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return nil
  end
  local found = vim.api.nvim_buf_get_extmark_by_id(buffer, M.namespace, mark, { details = true })
  if #found == 0 then
    return nil
  end
  local count = vim.api.nvim_buf_line_count(buffer)
  local region = { found[1], found[2], found[3].end_row or found[1], found[3].end_col or found[2] }
  -- A mark at the end of deleted lines can stand behind the last one.
  if region[3] >= count then
    region[3], region[4] = count - 1, #line_of(buffer, count - 1)
  end
  if region[1] >= count then
    region[1], region[2] = region[3], region[4]
  end
  -- Lines that are gone have left no more than a place in the line that came after them.
  if whole[buffer .. " " .. mark] and (region[1] ~= region[3] or region[2] ~= region[4]) then
    local last = line_of(buffer, region[3])
    if region[4] == 0 and last ~= "" and region[3] > region[1] then
      region[3] = region[3] - 1
      last = line_of(buffer, region[3])
    end
    region[2], region[4], region.whole = 0, #last, true
  end
  return region
end

function M.forget(buffer, mark)
  if mark then
    whole[buffer .. " " .. mark] = nil
  end
  if mark and vim.api.nvim_buf_is_valid(buffer) then
    pcall(vim.api.nvim_buf_del_extmark, buffer, M.namespace, mark)
  end
end

return M
