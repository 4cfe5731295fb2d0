-- The commands: their words, their completion, and what a range means.
local client = require("inkling.client")
local config = require("inkling.config")
local operator = require("inkling.operator")
local prewarm = require("inkling.prewarm")
local request = require("inkling.request")
local task = require("inkling.task")
local text = require("inkling.text")

local M = {}

local own = { rephrase = true, summarize = true, brainstorm = true }

-- What was typed as a spec, or nil and what is wrong.
function M.parse(arguments)
  local words, instructions = arguments, nil
  local before, after = (" " .. arguments):match("^(.-)%s%-%-%s+(.*)$")
  if before then
    words, instructions = before, after
  end
  local spec, plain = { instructions = instructions }, {}
  for _, word in ipairs(vim.split(vim.trim(words), "%s+", { trimempty = true })) do
    local name, value = word:match("^(%l+)=(%S+)$")
    if name == "to" then
      local problem = config.check_placement(value)
      if problem then
        return nil, problem
      end
      spec.placement = value
    elseif name == "voice" then
      spec.voice = value
    else
      table.insert(plain, word)
    end
  end
  local feature = table.remove(plain, 1)
  if not feature then
    return spec
  end
  spec.feature = own[feature] and feature or "command"
  if feature == "rephrase" then
    spec.tone = table.remove(plain, 1)
  elseif feature == "summarize" then
    for _, word in ipairs(plain) do
      local count = tonumber(word)
      spec[count and "count" or "style"] = count or word
    end
    plain = {}
  elseif feature == "brainstorm" then
    if vim.tbl_contains(request.kinds, plain[1]) then
      spec.kind = table.remove(plain, 1)
    end
    if plain[1] and plain[1]:find("^%d+$") then
      spec.count = tonumber(table.remove(plain, 1))
    end
  else
    spec.id = feature
  end
  if spec.feature == "rephrase" and #plain > 0 then
    return nil, "what is “" .. table.concat(plain, " ") .. "”? Instructions come after --"
  end
  spec.topic = #plain > 0 and table.concat(plain, " ") or nil
  return spec
end

-- With a topic of its own a request needs no text; its answer goes to the cursor's line.
local function with_topic(buffer, region, spec)
  spec.needs_text = false
  if spec.topic then
    return task.start(buffer, region, spec)
  end
  local feature = request.feature(spec.id or spec.feature)
  local mark = text.follow(buffer, region, false)
  vim.ui.input({ prompt = (feature and feature.title or "Inkling") .. ", topic: " }, function(topic)
    local place = text.where(buffer, mark)
    text.forget(buffer, mark)
    if topic and topic:find("%S") and place then
      spec.topic = topic
      task.start(buffer, place, spec)
    end
  end)
end

local function begin(buffer, spec, region, here, ranged)
  local feature = request.feature(spec.id or spec.feature)
  local input = spec.feature == "brainstorm" and "topic" or feature and feature.input or "selection"
  if spec.topic or (input == "topic" and not ranged) then
    return with_topic(buffer, here, spec)
  elseif input == "none" then
    spec.needs_text = false
    return task.start(buffer, here, spec)
  elseif not region then
    return task.fail("there is no text here")
  end
  spec.needs_text = true
  task.start(buffer, region, spec)
end

-- :Inkling
function M.run(options)
  local spec, problem = M.parse(options.args)
  if not spec then
    return task.fail(problem)
  end
  local buffer = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local ranged = options.range > 0
  local region
  if ranged then
    region, problem = text.ranged(buffer, options.line1, options.line2)
    if not region then
      return task.fail(problem)
    end
  else
    region = text.paragraph(buffer, row - 1)
  end
  prewarm.used()
  spec.now = options.bang or not config.get().preview
  if spec.id == "chat" then
    return require("inkling.chat").open()
  elseif not spec.feature then
    if not region then
      return task.fail("there is no text here")
    end
    return operator.menu(buffer, region, function(choice, place)
      task.start(buffer, place, vim.tbl_extend("force", spec, choice))
    end)
  end
  local here = text.lines(buffer, ranged and options.line2 or row, ranged and options.line2 or row)
  if spec.feature ~= "command" then
    return begin(buffer, spec, region, here, ranged)
  end
  -- What a command of the configuration takes is known when the daemon has said so; the place is followed till then.
  local marks = { text.follow(buffer, here, false), region and text.follow(buffer, region, false) }
  client.when_ready(function(failure)
    local places = {}
    for index, mark in ipairs(marks) do
      places[index] = text.where(buffer, mark)
      text.forget(buffer, mark)
    end
    if failure then
      return task.fail(failure)
    elseif places[1] then
      begin(buffer, spec, places[2], places[1], ranged)
    end
  end)
end

local function ids(choices)
  return vim.tbl_map(function(choice)
    return choice.id
  end, choices)
end

function M.starting(names, start)
  return vim.tbl_filter(function(name)
    return name:sub(1, #start) == start
  end, names)
end

function M.complete(start, line)
  local words = line:gsub("^.-Inkling!?%s*", "", 1)
  words = vim.split(words:sub(1, #words - #start), "%s+", { trimempty = true })
  local offers = client.offers_now()
  if start:find("^to=") then
    return M.starting(vim.tbl_map(function(name)
      return "to=" .. name
    end, config.placements()), start)
  elseif start:find("^voice=") then
    return M.starting(vim.tbl_map(function(name)
      return "voice=" .. name
    end, ids(offers.personalities)), start)
  end
  local found = {}
  if #words == 0 then
    found = vim.tbl_filter(function(id)
      return id ~= "generate"
    end, ids(offers.features))
  elseif words[1] == "rephrase" and #words == 1 then
    found = ids(offers.tones)
  elseif words[1] == "summarize" then
    found = vim.deepcopy(request.styles)
  elseif words[1] == "brainstorm" then
    found = #words == 1 and ids(offers.kinds) or {}
    vim.list_extend(found, (request.feature("brainstorm") or {}).suggestions or {})
  end
  if #words > 0 then
    vim.list_extend(found, { "to=", "voice=", "--" })
  end
  return M.starting(found, start)
end

function M.stop(options)
  if options.bang then
    task.close_all()
    return require("inkling.chat").stop_all()
  end
  local buffer, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  if not task.stop(buffer, row) and not require("inkling.chat").stop(buffer) then
    vim.notify("Inkling: nothing is at work here")
  end
end

local function megabytes(bytes)
  return bytes and ("%.0f MB"):format(bytes / 1000000) or "no"
end

-- :InklingStatus, which starts the daemon when it is not there; the model is not loaded for it.
function M.status()
  client.request("daemon/status", vim.empty_dict(), function(failure, result)
    if failure then
      return task.fail(failure.message)
    end
    local model, state = result.model.model, result.model.availability
    local lines = {
      ("Inkling %s, process %d, up %d min, clients: %d"):format(
        result.version, result.processId, math.floor(result.uptimeSeconds / 60), #result.clients),
      ("model: %s, %s"):format(model and model.name or "none loaded", state.message or state.state),
      ("memory: daemon %s, engine %s"):format(
        megabytes(result.memory.daemonBytes), megabytes(result.memory.engineBytes)),
      ("requests: %d, of them failed: %d; at work: %d"):format(
        result.totals.requests, result.totals.failedRequests, result.model.activeRequests),
    }
    if state.remedy then
      table.insert(lines, state.remedy)
    end
    require("inkling.window").float(table.concat(lines, "\n"))
  end)
end

-- :InklingDoctor
function M.doctor(options)
  if not options.bang then
    return vim.cmd("checkhealth inkling")
  end
  vim.notify("Inkling: the program examines itself, which takes a while")
  require("inkling.program").run({ "doctor" }, function(_, output, problem)
    require("inkling.window").float(output ~= "" and output or problem)
  end)
end

-- :InklingVoice, for all that is asked from now on.
function M.voice(options)
  local function choose(voice)
    config.get().voice = voice
    require("inkling.chat").set_voice(voice)
    vim.notify("Inkling: the voice is " .. voice)
  end
  if options.args ~= "" then
    return choose(options.args)
  end
  client.when_ready(function(problem)
    if problem then
      return task.fail(problem)
    end
    vim.ui.select(client.offers.personalities, {
      prompt = "Voice",
      format_item = function(choice)
        return ("%s: %s"):format(choice.title, choice.description)
      end,
    }, function(choice)
      if choice then
        choose(choice.id)
      end
    end)
  end)
end

function M.complete_voice(start)
  return M.starting(ids(client.offers_now().personalities), start)
end

return M
