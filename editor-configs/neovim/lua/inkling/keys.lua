-- The keys of a preview: in the buffer only while the cursor is in the lines that a preview belongs to. A mapping of
-- the buffer that was there before comes back.
local config = require("inkling.config")

local M = {}

local active = nil

local actions = {
  accept = function(task)
    require("inkling.accept").accept(task)
  end,
  reject = function(task)
    require("inkling.task").close(task)
  end,
  retry = function(task)
    require("inkling.task").retry(task)
  end,
  next = function(task)
    require("inkling.task").turn(task, 1)
  end,
  previous = function(task)
    require("inkling.task").turn(task, -1)
  end,
  diff = function(task)
    require("inkling.diff").show(task)
  end,
  hunk = function(task)
    require("inkling.hunks").take(task)
  end,
  next_hunk = function(task)
    require("inkling.hunks").go(task, 1)
  end,
  previous_hunk = function(task)
    require("inkling.hunks").go(task, -1)
  end,
  instructions = function(task)
    require("inkling.task").instruct(task)
  end,
  yank = function(task)
    require("inkling.accept").yank(task)
  end,
  open = function(task)
    require("inkling.preview").open(task)
  end,
}

-- Those that are about the place of the cursor in the text.
local local_ones = { hunk = true, next_hunk = true, previous_hunk = true }

local function each(buffer, action)
  for name, key in pairs(config.get().keys) do
    if key and actions[name] then
      action(buffer, name, key)
    end
  end
end

-- The buffer's own mapping of a key, with its Lua function if it has one.
local function mapped(buffer, key)
  local function raw(keys)
    return vim.api.nvim_replace_termcodes(keys, true, true, true)
  end
  for _, mapping in ipairs(vim.api.nvim_buf_get_keymap(buffer, "n")) do
    if raw(mapping.lhs) == raw(key) then
      return mapping
    end
  end
  return false
end

local function restore()
  local mine = active
  active = nil
  if not mine or not vim.api.nvim_buf_is_valid(mine.buffer) then
    return
  end
  for key, before in pairs(mine.before) do
    -- One that has come meanwhile is not taken away.
    local present = mapped(mine.buffer, key)
    local ours = present and (present.desc or ""):find("^Inkling: ")
    if ours then
      vim.api.nvim_buf_del_keymap(mine.buffer, "n", key)
    end
    if ours and before then
      vim.api.nvim_buf_set_keymap(mine.buffer, "n", key, before.rhs or "", {
        callback = before.callback, expr = before.expr == 1, noremap = before.noremap == 1,
        nowait = before.nowait == 1, silent = before.silent == 1, script = before.script == 1, desc = before.desc,
      })
    end
  end
end

local function install(task)
  active = { buffer = task.buffer, task = task, before = {} }
  each(task.buffer, function(buffer, name, key)
    active.before[key] = mapped(buffer, key)
    vim.keymap.set("n", key, function()
      actions[name](task)
    end, { buffer = buffer, nowait = true, desc = "Inkling: " .. name:gsub("_", " ") })
  end)
end

-- Brings the keys in line with what is at the cursor now.
function M.refresh()
  local buffer = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local task = require("inkling.task").at(buffer, row)
  if task and task.spec.now then
    task = nil
  end
  if active and active.task == task and active.buffer == buffer then
    return
  end
  restore()
  if task then
    install(task)
  end
end

-- The floating window of a preview has the keys all the time.
function M.of_float(task)
  each(task.float_buffer, function(buffer, name, key)
    if local_ones[name] then
      return
    end
    vim.keymap.set("n", key, function()
      if vim.api.nvim_get_current_win() == task.float and name ~= "diff" and name ~= "open" then
        vim.cmd("wincmd p")
      end
      actions[name](task)
    end, { buffer = buffer, nowait = true, desc = "Inkling: " .. name })
  end)
  vim.keymap.set("n", "q", function()
    require("inkling.preview").open(task)
  end, { buffer = task.float_buffer, nowait = true, desc = "Inkling: back to the text" })
end

return M
