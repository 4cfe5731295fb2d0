-- The lines of a chat's buffer: what was said, and below the last "# You" what is said next.
local text = require("inkling.text")

local M = {}

M.you = "# You"
local inkling = "# Inkling"

local function split(words)
  return vim.split(words:gsub("\r", ""), "\n", { plain = true })
end

local function mark_row(chat, name)
  return vim.api.nvim_buf_get_extmark_by_id(chat.buffer, text.namespace, chat[name], {})[1]
end

local function set_mark(chat, name, row)
  chat[name] = vim.api.nvim_buf_set_extmark(chat.buffer, text.namespace, row, 0, { id = chat[name] })
end

-- Lines from a row on; the cursor goes along where it was at the end, and stays everywhere else.
local function set_lines(chat, row, lines)
  local last = vim.api.nvim_buf_line_count(chat.buffer)
  row = math.min(row, last)
  local following = {}
  for _, window in ipairs(vim.fn.win_findbuf(chat.buffer)) do
    following[window] = vim.api.nvim_win_get_cursor(window)[1] == last
  end
  vim.api.nvim_buf_set_lines(chat.buffer, row, -1, false, lines)
  vim.bo[chat.buffer].modified = false
  for window, follows in pairs(following) do
    if follows then
      vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(chat.buffer), 0 })
    end
  end
end

function M.prompt_row(chat)
  return mark_row(chat, "prompt")
end

-- A place to write in, behind all that was said.
function M.prompt(chat, row, message)
  set_lines(chat, row, vim.list_extend({ M.you, "" }, split(message or "")))
  set_mark(chat, "prompt", row)
end

function M.message(chat)
  local lines = vim.api.nvim_buf_get_lines(chat.buffer, M.prompt_row(chat) + 1, -1, false)
  return vim.trim(table.concat(lines, "\n"))
end

-- A message with the heading of its answer, which comes two lines below that heading.
function M.question(chat, row, message)
  local lines = vim.list_extend({ M.you, "" }, split(message))
  vim.list_extend(lines, { "", inkling, "" })
  set_lines(chat, row, vim.list_extend(lines, { "" }))
  set_mark(chat, "prompt", row)
  set_mark(chat, "heading", row + #lines - 3)
end

-- What has come of an answer. The mark is at the heading, since one within replaced lines would move.
function M.partial(chat, words)
  set_lines(chat, mark_row(chat, "heading") + 2, split(words))
end

-- The whole answer, and a place to go on.
function M.answer(chat, words)
  local lines = split(words)
  local row = mark_row(chat, "heading") + 2
  set_lines(chat, row, vim.list_extend(lines, { "" }))
  M.prompt(chat, row + #lines)
end

-- The row of the last exchange's question.
function M.last_row(chat)
  local rows = vim.api.nvim_buf_get_lines(chat.buffer, 0, M.prompt_row(chat), false)
  for row = #rows, 1, -1 do
    if rows[row] == M.you then
      return row - 1
    end
  end
  return 0
end

return M
