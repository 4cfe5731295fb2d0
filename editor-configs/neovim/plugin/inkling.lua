-- Commands, <Plug> mappings and what has to be noticed. Nothing is started here, and no module that works is loaded
-- before it is used, but for the keys that begin.
if vim.g.loaded_inkling or vim.fn.has("nvim-0.7") == 0 then
  return
end
vim.g.loaded_inkling = true

local function command(name, method, options)
  vim.api.nvim_create_user_command(name, function(given)
    require("inkling.command")[method](given)
  end, options)
end

command("Inkling", "run", {
  nargs = "*", range = true, bang = true, desc = "Rephrase, summarize, brainstorm, or a command of yours",
  complete = function(...)
    return require("inkling.command").complete(...)
  end,
})
command("InklingStop", "stop", { bang = true, desc = "Stop the request at hand; with ! all" })
command("InklingStatus", "status", { desc = "What the daemon does" })
command("InklingDoctor", "doctor", { bang = true, desc = "What is wrong; with ! the program examines itself" })
vim.api.nvim_create_user_command("InklingModel", function(given)
  require("inkling.model").choose(given.args)
end, {
  nargs = "?", desc = "Choose the model",
  complete = function(start)
    return require("inkling.command").starting(require("inkling.model").names(), start)
  end,
})
command("InklingVoice", "voice", {
  nargs = "?", desc = "Choose a voice",
  complete = function(...)
    return require("inkling.command").complete_voice(...)
  end,
})
vim.api.nvim_create_user_command("InklingChat", function(given)
  local chat = require("inkling.chat")
  if given.args == "" or given.args == "new" then
    chat.open(given.args == "new")
  elseif vim.tbl_contains(chat.names(), given.args) then
    chat.act(vim.api.nvim_get_current_buf(), given.args)
  else
    vim.notify("Inkling: :InklingChat knows " .. table.concat(chat.names(), ", "), vim.log.levels.ERROR)
  end
end, {
  nargs = "?", desc = "Talk in a buffer",
  complete = function()
    return require("inkling.chat").names()
  end,
})

vim.api.nvim_create_user_command("InklingSessions", function()
  require("inkling.sessions").choose()
end, { desc = "Go on with a kept conversation, export or delete it" })

local function plug(name, spec, object)
  -- With a text object of its own there is nothing that a selection would add.
  vim.keymap.set(object and "n" or { "n", "x" }, "<Plug>(inkling-" .. name .. ")", function()
    return require("inkling.operator").begin(spec) .. (object or "")
  end, { expr = true, desc = "Inkling: " .. name:gsub("%-", " ") })
end

plug("rephrase", { feature = "rephrase" })
plug("summarize", { feature = "summarize" })
plug("brainstorm", { feature = "brainstorm" })
plug("menu", nil)
plug("rephrase-paragraph", { feature = "rephrase" }, "ip")
for _, tone in ipairs({ "formal", "exciting", "simpler", "shorter", "longer", "friendly", "proofread" }) do
  plug("rephrase-" .. tone, { feature = "rephrase", tone = tone })
end

local highlights = {
  InklingSource = { link = "Comment" }, InklingChange = { underline = true }, InklingPreview = { link = "String" },
  InklingHint = { link = "NonText" }, InklingWarning = { link = "WarningMsg" },
}
local function highlight()
  for name, look in pairs(highlights) do
    vim.api.nvim_set_hl(0, name, vim.tbl_extend("error", { default = true }, look))
  end
end
highlight()

-- What is not loaded has nothing to notice.
local function loaded(module)
  return package.loaded["inkling." .. module]
end

local group = vim.api.nvim_create_augroup("inkling", {})
local function on(events, callback, pattern)
  vim.api.nvim_create_autocmd(events, { group = group, pattern = pattern, callback = callback })
end

on({ "CursorMoved", "BufEnter", "WinEnter", "CursorMovedI" }, function()
  if loaded("task") then
    require("inkling.keys").refresh()
  end
end)
on({ "BufUnload" }, function(event)
  if loaded("task") then
    require("inkling.task").close_all(event.buf)
  end
end)
on({ "VimResized", "BufWinEnter", "TabEnter" }, function()
  if loaded("task") then
    require("inkling.task").redraw()
  end
end)
on({ "TextChanged", "InsertLeave" }, function(event)
  if loaded("task") then
    require("inkling.task").redraw(event.buf)
  end
end)
on({ "CursorMoved", "ModeChanged" }, function()
  local mode = vim.api.nvim_get_mode().mode
  local may_start = loaded("config") and require("inkling.config").get().prewarm.start
  if (loaded("client") or may_start) and (mode == "v" or mode == "V") then
    require("inkling.prewarm").selecting()
  end
end)
on("ModeChanged", function()
  if loaded("client") then
    require("inkling.prewarm").selection_ended()
  end
end, "[vV\22]*:*")
on("CmdlineLeave", function()
  if loaded("client") then
    require("inkling.prewarm").selection_ended()
  end
end)
on("VimLeavePre", function()
  if loaded("client") then
    require("inkling.client").stop()
  end
end)
on("ColorScheme", highlight)

-- Not before the user's configuration had its say, and not when it wants no keys at all.
if vim.v.vim_did_enter == 1 then
  require("inkling").map()
else
  on("VimEnter", function()
    require("inkling").map()
  end)
end
