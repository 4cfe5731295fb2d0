-- Shows an answer without touching the buffer: as virtual lines under the source, or, when it is long, in a floating
-- window that can be scrolled.
local config = require("inkling.config")
local request = require("inkling.request")
local status = require("inkling.status")
local text = require("inkling.text")

local uv = vim.uv or vim.loop

local M = {}

-- Rows that are drawn again and again while text comes; a screen takes no more of them anyway.
local pause = 50

local function display_width(words)
  return vim.fn.strdisplaywidth(words)
end

-- Breaks a line at blanks so that each row fits; `limit` rows are enough.
local function wrap(line, width, limit)
  line = line:gsub("\r", ""):gsub("\t", "    ")
  if display_width(line:sub(1, width * 4 * limit)) <= width then
    return { line }
  end
  local rows, row, cells, blank = {}, {}, 0, nil
  for _, character in ipairs(vim.fn.split(line:sub(1, width * 6 * limit), "\\zs")) do
    local wide = display_width(character)
    if cells + wide > width then
      local rest = {}
      if blank and blank > 1 then
        rest = vim.list_slice(row, blank + 1)
        row = vim.list_slice(row, 1, blank)
      end
      table.insert(rows, table.concat(row))
      if #rows > limit then
        return rows
      end
      row, blank = rest, nil
      cells = display_width(table.concat(rest))
    end
    table.insert(row, character)
    cells = cells + wide
    if character == " " then
      blank = #row
    end
  end
  table.insert(rows, table.concat(row))
  return rows
end

-- The rows of a text, or nil when there are more than `limit`.
function M.rows(words, width, limit)
  local rows = {}
  local position = 1
  while position <= #words + 1 do
    local stop = words:find("\n", position, true) or #words + 1
    vim.list_extend(rows, wrap(words:sub(position, stop - 1), width, limit))
    if #rows > limit then
      return nil
    end
    position = stop + 1
  end
  return rows
end

local function window_of(buffer)
  if vim.api.nvim_get_current_buf() == buffer then
    return vim.api.nvim_get_current_win()
  end
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == buffer then
      return window
    end
  end
end

local function text_width(window)
  local info = window and vim.fn.getwininfo(window)[1]
  return math.max(info and info.width - info.textoff or vim.o.columns, 20)
end

local short = { instructions = "edit", hunk = "one change" }

local function hint(task)
  local keys = config.get().keys
  local names = task.state == "done" and { "accept", "reject", "retry", "next", "diff", "instructions" } or { "reject" }
  if task.state == "done" and (task.hunks or 0) > 1 then
    table.insert(names, 2, "hunk")
  end
  if task.float then
    table.insert(names, "open")
  end
  local parts = {}
  for _, name in ipairs(names) do
    if keys[name] then
      table.insert(parts, keys[name] .. " " .. (short[name] or name))
    end
  end
  return table.concat(parts, "  ")
end

local function header(task)
  local title = request.title(task.spec)
  if task.state ~= "done" then
    return ("%s, %s  %s"):format(title, status.words(task), hint(task))
  end
  local place = request.placement(task.spec)
  title = place == "replace" and title or ("%s (%s)"):format(title, place)
  local which = #task.answers > 1 and (" %d/%d"):format(task.index, #task.answers) or ""
  return ("%s%s  %s"):format(title, which, hint(task))
end

function M.words(task)
  if task.state == "done" then
    return task.answers[task.index].text
  end
  return task.partial or ""
end

local function close_float(task)
  if task.float and vim.api.nvim_win_is_valid(task.float) then
    vim.api.nvim_win_close(task.float, true)
  end
  task.float = nil
end

local function fill_float(task, words)
  local lines = vim.split(words:gsub("\r", ""), "\n", { plain = true })
  vim.bo[task.float_buffer].modifiable = true
  vim.api.nvim_buf_set_lines(task.float_buffer, 0, -1, false, lines)
  vim.bo[task.float_buffer].modifiable = false
end

local function show_float(task, region, words)
  if not task.float_buffer or not vim.api.nvim_buf_is_valid(task.float_buffer) then
    task.float_buffer = vim.api.nvim_create_buf(false, true)
    vim.bo[task.float_buffer].bufhidden = "hide"
    require("inkling.keys").of_float(task)
  end
  fill_float(task, words)
  local window = window_of(task.buffer)
  if not task.float or not vim.api.nvim_win_is_valid(task.float) then
    if not window then
      return
    end
    local width = math.min(text_width(window), 100)
    -- There are places where no window can be opened, the command-line window for one: then it comes later.
    local opened, float = pcall(vim.api.nvim_open_win, task.float_buffer, false, {
      relative = "win", win = window, bufpos = { region[3], 0 }, row = 2, col = 0, width = width - 2,
      height = math.max(math.min(15, vim.o.lines - 6), 3), style = "minimal", border = "single", noautocmd = true,
    })
    if not opened then
      return
    end
    task.float = float
    vim.wo[task.float].wrap = true
    vim.wo[task.float].linebreak = true
  end
  if vim.api.nvim_get_current_win() ~= task.float then
    local row = task.state == "done" and 1 or vim.api.nvim_buf_line_count(task.float_buffer)
    vim.api.nvim_win_set_cursor(task.float, { row, 0 })
  end
end

local function draw(task)
  task.drawn = uv.now()
  local region = not task.closed and text.where(task.buffer, task.mark)
  if not region then
    return
  end
  require("inkling.hunks").show(task)
  local window = window_of(task.buffer)
  local width, limit = text_width(window), config.get().preview_rows
  local words = M.words(task)
  local rows = words == "" and {} or M.rows(words, width, limit)
  local folded = window and vim.api.nvim_win_call(window, function()
    return vim.fn.foldclosed(region[3] + 1) ~= -1
  end)
  local lines = {}
  if task.float_wanted or not rows or (folded and words ~= "") then
    show_float(task, region, words)
  else
    close_float(task)
    for _, row in ipairs(rows) do
      table.insert(lines, { { row == "" and " " or row, "InklingPreview" } })
    end
  end
  -- Last, for it names the window's key when there is one.
  for index, row in ipairs(M.rows(header(task), width, limit) or {}) do
    table.insert(lines, index, { { row, "InklingHint" } })
  end
  for _, warning in ipairs(task.state == "done" and task.answers[task.index].warnings or {}) do
    for _, row in ipairs(M.rows("warning: " .. warning, width, limit) or {}) do
      table.insert(lines, { { row, "InklingWarning" } })
    end
  end
  task.lines_mark = vim.api.nvim_buf_set_extmark(task.buffer, text.namespace, region[3], 0, {
    id = task.lines_mark,
    virt_lines = lines,
  })
end

-- Draws at once when nothing was drawn for a while, else a little later, and then what is there by that time.
function M.show(task)
  if task.spec.now or task.closed then
    return
  end
  local waited = uv.now() - (task.drawn or 0)
  if task.state == "done" or not task.drawn or waited >= pause then
    return draw(task)
  elseif not task.draw_later then
    task.draw_later = true
    vim.defer_fn(function()
      task.draw_later = nil
      if not task.closed then
        draw(task)
      end
    end, pause - waited)
  end
end

function M.hide(task)
  close_float(task)
  require("inkling.hunks").hide(task)
  if task.float_buffer and vim.api.nvim_buf_is_valid(task.float_buffer) then
    vim.api.nvim_buf_delete(task.float_buffer, { force = true })
  end
  text.forget(task.buffer, task.lines_mark)
end

-- Moves the cursor into the floating window, where it can be scrolled; from there back.
function M.open(task)
  if task.float and vim.api.nvim_get_current_win() == task.float then
    vim.cmd("wincmd p")
    return
  end
  task.float_wanted = true
  draw(task)
  if task.float then
    vim.api.nvim_set_current_win(task.float)
  end
end

return M
