-- One request about a region of a buffer, from the key that asks for it to the answer that is kept or thrown away.
local client = require("inkling.client")
local preview = require("inkling.preview")
local request = require("inkling.request")
local status = require("inkling.status")
local text = require("inkling.text")

local M = {}

local tasks = {}
-- Failures that were shown; one can be that of many requests.
local told = setmetatable({}, { __mode = "k" })
local last_id = 0

local function say(message, level)
  vim.notify("Inkling: " .. message, level or vim.log.levels.INFO)
end

function M.fail(message)
  say(message, vim.log.levels.ERROR)
end

local function changed(task)
  status.set(task.id, task.state ~= "done" and task or nil)
  preview.show(task)
  require("inkling.keys").refresh()
end

-- Ends a task and takes all that is shown of it away; a request that runs is cancelled.
function M.close(task)
  if not tasks[task.id] then
    return
  end
  tasks[task.id] = nil
  task.closed = true
  client.cancel(task.request)
  status.set(task.id, nil)
  preview.hide(task)
  text.forget(task.buffer, task.mark)
  require("inkling.keys").refresh()
end

local function overlap(one, other)
  local function before(row, column, other_row, other_column)
    return row < other_row or (row == other_row and column < other_column)
  end
  local apart = not before(one[1], one[2], other[3], other[4]) or not before(other[1], other[2], one[3], one[4])
  return not apart or vim.deep_equal(one, other)
end

function M.of_buffer(buffer)
  local found = {}
  for _, task in pairs(tasks) do
    if task.buffer == buffer then
      table.insert(found, task)
    end
  end
  table.sort(found, function(a, b)
    return a.id < b.id
  end)
  return found
end

function M.all()
  return vim.tbl_values(tasks)
end

-- The one whose lines the cursor is in; of several the latest.
function M.at(buffer, row)
  local found = nil
  for _, task in ipairs(M.of_buffer(buffer)) do
    local region = text.where(buffer, task.mark)
    if region and row >= region[1] and row <= region[3] then
      found = task
    end
  end
  return found
end

local function partial_text(task, value)
  if value.kind == "structured" then
    return request.shown_value(value.value)
  elseif value.text then
    return value.text
  end
  local shown = task.partial or ""
  return shown:sub(1, text.byte_offset(shown, value.offset, client.encoding)) .. value.delta
end

local function listen(task, value)
  if value.kind == "begin" or value.kind == "report" then
    task.progress = { message = value.message or value.title, percentage = value.percentage }
  elseif value.kind == "text" or value.kind == "structured" then
    task.partial = partial_text(task, value)
    task.state = "writing"
    status.count(task)
  else
    return
  end
  changed(task)
end

local function finish(task, failure, result)
  task.request, task.partial, task.progress = nil, nil, nil
  local answers = not failure and request.answers(task, result) or {}
  local problem = failure and failure.message
  if not failure and #answers == 0 then
    problem = "The answer is empty. Nothing was changed."
  end
  if problem then
    if not (failure and told[failure]) then
      M.fail(problem)
    end
    if failure then
      told[failure] = true
    end
    -- What was there before another try is there still.
    if #task.answers == 0 then
      return M.close(task)
    end
    task.state = "done"
    return changed(task)
  end
  task.index = #task.answers + 1
  vim.list_extend(task.answers, answers)
  task.state = "done"
  if task.spec.now then
    status.set(task.id, nil)
    return require("inkling.accept").when_possible(task)
  end
  changed(task)
end

-- Sends the request. Another try draws by chance, warmer each time, for the likeliest answer is known already.
local function send(task)
  client.cancel(task.request)
  local options = nil
  if task.tries > 0 then
    options = { temperature = math.min(0.6 + 0.2 * task.tries, 1.2), seed = math.random(0, 4294967295) }
  end
  local region = text.where(task.buffer, task.mark)
  local method, params = request.make(task, region, options)
  task.state, task.partial, task.progress, task.meter = "waiting", nil, nil, nil
  local id
  id = client.request(method, params, function(failure, result)
    if not task.closed and task.request == id then
      finish(task, failure, result)
    end
  end, function(value)
    if not task.closed and task.request == id then
      listen(task, value)
    end
  end)
  task.request = id
  changed(task)
end

local function refused(buffer, region, spec, source)
  local placement = request.placement(spec)
  if placement == "replace" or placement == "below" or placement == "above" then
    if not vim.bo[buffer].modifiable or vim.bo[buffer].readonly then
      return "this buffer cannot be changed; to=buffer, to=echo or to=yank work here"
    end
  end
  if spec.needs_text then
    return text.problem(buffer, region) or (not source:find("%S") and "there is no text here" or nil)
  end
end

-- Starts a request for a region. spec: see inkling.request.
function M.start(buffer, region, spec)
  local source = text.get(buffer, region)
  local problem = refused(buffer, region, spec, source)
  if problem then
    return M.fail(problem)
  end
  -- A newer request for the same text takes the older one's place.
  for _, other in ipairs(M.of_buffer(buffer)) do
    local taken = text.where(buffer, other.mark)
    if not taken or overlap(region, taken) then
      M.close(other)
    end
  end
  last_id = last_id + 1
  local task = {
    id = last_id, buffer = buffer, spec = spec, source = source, answers = {}, index = 0, tries = 0,
    mark = text.follow(buffer, region, request.placement(spec) == "replace"),
  }
  tasks[task.id] = task
  send(task)
  return task
end

-- Another draft; of the present text, if that was changed meanwhile.
function M.retry(task)
  local region = text.where(task.buffer, task.mark)
  local source = region and text.get(task.buffer, region)
  if source and not source:find("%S") then
    return M.fail("the text is gone")
  elseif source and source ~= task.source then
    local answer = task.answers[task.index]
    if not (answer and answer.known[source]) then
      task.answers, task.index = {}, 0
    end
    task.source = source
  end
  task.tries = task.tries + 1
  send(task)
end

function M.turn(task, step)
  if task.state ~= "done" then
    return say("the answer is still being written")
  end
  local index = task.index + step
  if index > #task.answers then
    return M.retry(task)
  end
  task.index = math.max(index, 1)
  changed(task)
end

function M.instruct(task)
  vim.ui.input({ prompt = "Instructions: ", default = task.spec.instructions or "" }, function(words)
    if not words or task.closed then
      return
    end
    task.spec.instructions = words ~= "" and words or nil
    send(task)
  end)
end

-- Stops the request at hand: the one at the cursor, else the latest of the buffer that runs.
function M.stop(buffer, row)
  local task = M.at(buffer, row)
  if not task then
    for _, other in ipairs(M.of_buffer(buffer)) do
      task = other.request and other or task
    end
  end
  if task then
    M.close(task)
  end
  return task ~= nil
end

-- Windows have changed, or the text of a buffer: what is shown fits.
function M.redraw(buffer)
  for _, task in ipairs(buffer and M.of_buffer(buffer) or M.all()) do
    preview.show(task)
  end
end

function M.close_all(buffer)
  for _, task in ipairs(buffer and M.of_buffer(buffer) or M.all()) do
    M.close(task)
  end
end

return M
