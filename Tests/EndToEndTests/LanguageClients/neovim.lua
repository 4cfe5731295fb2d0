-- Drives Neovim's own LSP client by a list of steps (INKLING_STEPS, a file of JSON), and prints what it observed as one
-- line of JSON. The server is set up by the file that people are given (INKLING_EDITOR_CONFIG). Every wait has a
-- deadline.

local seen = { edits = 0, answers = {}, messages = {}, progress = {}, tokens = {}, times = {}, menus = {} }
local executed = 0
local patience = 60000

local function await(what, condition)
  if not vim.wait(patience, condition, 5) then error('waited in vain ' .. what, 0) end
end

local function watch(method, before, after)
  local original = vim.lsp.handlers[method]
  vim.lsp.handlers[method] = function(problem, result, context, config)
    before(result)
    local answer = original(problem, result, context, config)
    if after then after(answer) end
    return answer
  end
end

watch('workspace/applyEdit', function() end, function(answer)
  seen.edits = seen.edits + 1
  table.insert(seen.answers, answer.applied)
end)
watch('window/workDoneProgress/create', function(params) table.insert(seen.tokens, params.token) end)
watch('$/progress', function(params)
  table.insert(seen.progress, params.token .. ' ' .. params.value.kind)
end)
vim.lsp.handlers['window/showMessage'] = function(_, params) table.insert(seen.messages, params.message) end

local function client() return vim.lsp.get_active_clients()[1] end

-- How long the client waits for each answer.
local function measure(target)
  local request = target.request
  target.request = function(method, params, handler, buffer)
    local start = vim.loop.hrtime()
    handler = handler or vim.lsp.handlers[method]
    return request(method, params, function(...)
      seen.times[method] = math.max(seen.times[method] or 0, (vim.loop.hrtime() - start) / 1e9)
      if method == 'workspace/executeCommand' then executed = executed + 1 end
      return handler(...)
    end, buffer)
  end
end

-- Where a text stands: its line from 1, its first byte and the byte behind it, from 0.
local function find(needle)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
    local first, last = line:find(needle, 1, true)
    if first then return number, first - 1, last end
  end
  error('no text “' .. needle .. '”', 0)
end

local wanted
vim.ui.select = function(items, options, choose)
  local menu, choice = {}, nil
  for _, item in ipairs(items) do
    table.insert(menu, { title = options.format_item(item), kind = item[2].kind })
    if item[2].title == wanted then choice = item end
  end
  table.insert(seen.menus, menu)
  choose(choice)
end

local function type_keys(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'xm', false)
end

local steps = {}

function steps.open(step)
  local start = vim.loop.hrtime()
  vim.cmd('edit ' .. vim.fn.fnameescape(step.file))
  vim.bo.fixendofline = false
  await('for the server', function() return client() and client().initialized end)
  if not seen.times.initialize then
    seen.times.initialize = (vim.loop.hrtime() - start) / 1e9
    seen.process = client().rpc.pid
    measure(client())
  end
  await('for the attachment', function() return vim.lsp.buf_is_attached(0, client().id) end)
end

-- Selects a text, asks for what can be done with it by the key of the configuration, and takes what has that title.
function steps.run(step)
  vim.cmd('let &undolevels = &undolevels')
  local menus, before = #seen.menus, executed
  wanted = step.title
  local line, first, last = find(step.select)
  vim.api.nvim_win_set_cursor(0, { line, first })
  if step.cursor then
    type_keys('\\i')
  else
    vim.cmd('normal! v')
    vim.api.nvim_win_set_cursor(0, { line, last - 1 })
    type_keys('\\i')
  end
  await('for a menu', function() return #seen.menus > menus end)
  if step.title then await('for the answer to the command', function() return executed > before end) end
end

function steps.type(step)
  local line, first, last = find(step.before or step.after)
  local column = step.before and first or last
  vim.api.nvim_buf_set_text(0, line - 1, column, line - 1, column, vim.split(step.text, '\n'))
end

function steps.wait(step)
  if step.edits then await('for an edit', function() return seen.edits >= step.edits end) end
  if step.messages then await('for a message', function() return #seen.messages >= step.messages end) end
  if step.ends then
    await('for the end of progress', function()
      local ends = vim.tbl_filter(function(entry) return vim.endswith(entry, ' end') end, seen.progress)
      return #ends >= step.ends
    end)
  end
end

function steps.cancel()
  await('for a place for the progress of all commands', function() return #seen.tokens == executed end)
  client().notify('window/workDoneProgress/cancel', { token = seen.tokens[#seen.tokens] })
end

function steps.save(step) vim.cmd('silent keepalt write! ' .. vim.fn.fnameescape(step.file)) end
function steps.undo() vim.cmd('silent undo') end
function steps.close() vim.cmd('bdelete!') end

local function main()
  vim.cmd('filetype on')
  vim.o.hidden = true
  dofile(vim.env.INKLING_EDITOR_CONFIG)
  local list = vim.fn.json_decode(table.concat(vim.fn.readfile(vim.env.INKLING_STEPS), '\n'))
  for _, step in ipairs(list) do steps[step['do']](step) end
end

local success, problem = pcall(main)
if not success then seen.problem = tostring(problem) end
io.stdout:write('\nOBSERVED ' .. vim.fn.json_encode(seen) .. '\n')
vim.cmd('qall!')
