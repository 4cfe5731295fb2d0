-- Inkling in Neovim, 0.7 or newer, without a plugin. Source it from init.lua, or put it into the `plugin` folder beside
-- it. Select some text and press <Leader>i; without a selection the paragraph is meant.

local filetypes = { 'asciidoc', 'gitcommit', 'mail', 'markdown', 'org', 'plaintex', 'rst', 'tex', 'text', 'typst' }

local function keys(buffer)
  if vim.fn.has('nvim-0.8') == 1 then
    vim.keymap.set({ 'n', 'x' }, '<Leader>i', vim.lsp.buf.code_action, { buffer = buffer, desc = 'Inkling' })
  else
    vim.keymap.set('n', '<Leader>i', vim.lsp.buf.code_action, { buffer = buffer, desc = 'Inkling' })
    -- The marks of the selection are set when it is left.
    vim.keymap.set('x', '<Leader>i', '<Esc><Cmd>lua vim.lsp.buf.range_code_action()<CR>', { buffer = buffer })
  end
end

local server = {
  name = 'inkling',
  cmd = { 'inkling', 'connect' },
  -- What is typed is told at once: an edit then never comes for a text that has changed unnoticed.
  flags = { debounce_text_changes = 0 },
  on_attach = function(_, buffer) keys(buffer) end,
  -- Where summaries and ideas go: above, below, replace, newDocument or message.
  init_options = { summarize = { placement = 'above' }, brainstorm = { placement = 'below' } },
}

if vim.lsp.config and vim.lsp.enable then
  -- Neovim 0.11 and newer.
  server.filetypes = filetypes
  vim.lsp.config('inkling', server)
  vim.lsp.enable('inkling')
else
  -- One server for all buffers, started with the first.
  local client
  server.on_exit = function() client = nil end
  vim.api.nvim_create_autocmd('FileType', {
    pattern = filetypes,
    callback = function(event)
      client = client or vim.lsp.start_client(server)
      if client then vim.lsp.buf_attach_client(event.buf, client) end
    end,
  })
end
