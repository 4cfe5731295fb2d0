-- Windows for things to read: a floating one that q closes, a new buffer, the command line.
local M = {}

function M.float(words, filetype)
  local lines = vim.split(words:gsub("\r", ""):gsub("\n$", ""), "\n", { plain = true })
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].bufhidden, vim.bo[buffer].modifiable = "wipe", false
  local widest = 20
  for _, line in ipairs(lines) do
    widest = math.max(widest, vim.fn.strdisplaywidth(line))
  end
  local width = math.max(math.min(widest, vim.o.columns - 4), 1)
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(math.ceil(vim.fn.strdisplaywidth(line) / width), 1)
  end
  local height = math.max(math.min(rows, vim.o.lines - 6), 1)
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = "editor", width = width, height = height, row = math.floor((vim.o.lines - height) / 3),
    col = math.floor((vim.o.columns - width) / 2), style = "minimal", border = "single",
  })
  vim.wo[window].wrap, vim.wo[window].linebreak = true, true
  if filetype then
    vim.bo[buffer].filetype = filetype
  end
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, "<Cmd>close<CR>", { buffer = buffer, nowait = true })
  end
  return window
end

-- A short line stays on the command line; more would ask for a key before one can go on.
function M.echo(words)
  if not words:find("\n") and vim.fn.strdisplaywidth(words) < vim.o.columns - 12 then
    vim.api.nvim_echo({ { words } }, true, {})
  else
    M.float(words)
  end
end

-- `stay`: the cursor stays where it was, for nobody has just asked for the window.
function M.in_buffer(words, filetype, stay)
  local before = vim.api.nvim_get_current_win()
  vim.cmd("botright new")
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(words, "\n", { plain = true }))
  vim.bo.filetype = filetype
  if stay then
    vim.api.nvim_set_current_win(before)
  end
end

return M
