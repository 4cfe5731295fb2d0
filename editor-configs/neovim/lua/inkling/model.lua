-- :InklingModel. The choice is the program's: `inkling models use` writes it into the configuration. A daemon that runs
-- keeps the model that it has, so it is asked to load the new one when the person wants that.
local client = require("inkling.client")
local program = require("inkling.program")
local status = require("inkling.status")

local M = {}

local function say(message)
  vim.notify("Inkling: " .. message)
end

local function fail(message)
  vim.notify("Inkling: " .. message, vim.log.levels.ERROR)
end

local function decoded(output)
  local understood, value = pcall(vim.json.decode, output, { luanil = { object = true, array = true } })
  return understood and type(value) == "table" and value or nil
end

-- done(problem, models)
local function list(done)
  program.run({ "models", "list", "--json" }, function(code, output, problem)
    local found = code == 0 and decoded(output)
    if not found then
      return done(code == 0 and "the list of models could not be read" or problem)
    end
    done(nil, found.models or {})
  end)
end

local function load(path)
  local entry = { state = "waiting" }
  status.set(entry, entry)
  client.request("model/load", { path = path }, function(failure, result)
    status.set(entry, nil)
    if failure then
      return fail(failure.message)
    end
    say("the model is " .. result.model.name)
  end, function(value)
    entry.progress = { message = value.message or value.title, percentage = value.percentage }
    status.set(entry, entry)
  end)
end

-- Asks whether a daemon that runs with another model is to load this one.
local function offer(path)
  program.run({ "status", "--json" }, function(code, output)
    local running = code == 0 and decoded(output)
    local model = running and running.model and running.model.model
    if not running or (model and model.sourcePath == path) then
      return
    end
    local choices = {
      { "Later: the daemon that runs keeps its model until it ends (inkling stop)" },
      { "Now: the daemon loads it, for all editors", load },
    }
    vim.ui.select(choices, {
      prompt = "Inkling: when is the model to be changed?",
      format_item = function(choice)
        return choice[1]
      end,
    }, function(choice)
      if choice and choice[2] then
        choice[2](path)
      end
    end)
  end)
end

local function use(name, path)
  program.run({ "models", "use", path or name }, function(code, output, problem)
    if code ~= 0 then
      return fail((problem:gsub("^inkling: ", "")))
    end
    say(vim.trim(output))
    offer(path or name)
  end)
end

local function described(model)
  local parts = { model.name }
  if model.sizeBytes then
    table.insert(parts, ("%.0f MB"):format(model.sizeBytes / 1e6))
  end
  if model.fits == "no" or model.fits == "tight" then
    table.insert(parts, model.fits == "no" and "does not fit into memory" or "fits into memory tightly")
  end
  for _, known in ipairs({ model.license or false, model.inUse and "in use" }) do
    if known then
      table.insert(parts, known)
    end
  end
  return table.concat(parts, ", ")
end

-- A model by its name or path; without one a menu asks.
function M.choose(name)
  list(function(problem, models)
    if problem then
      return fail(problem)
    elseif name ~= "" then
      for _, model in ipairs(models) do
        if model.name == name or model.path == name then
          return use(name, model.path)
        end
      end
      return use(name)
    elseif #models == 0 then
      return fail("there is no model on this machine; “inkling models pull” fetches one")
    end
    vim.ui.select(models, { prompt = "Model", format_item = described }, function(model)
      if model then
        use(model.name, model.path)
      end
    end)
  end)
end

-- For completion, which cannot wait for long.
function M.names()
  local names = nil
  list(function(_, models)
    names = {}
    for _, model in ipairs(models or {}) do
      table.insert(names, model.name)
    end
  end)
  vim.wait(2000, function()
    return names ~= nil
  end, 5)
  return names or {}
end

return M
