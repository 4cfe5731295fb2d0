-- Requests by operators: with any motion, text object or selection, and repeated by the dot.
local client = require("inkling.client")
local prewarm = require("inkling.prewarm")
local task = require("inkling.task")
local text = require("inkling.text")

local M = {}

-- What the next run, also one by the dot, asks for.
local spec = { feature = "rephrase", needs_text = true }
local choosing = false

-- All that can be asked for a selection, for a menu.
local function choices(offers)
  local found = {}
  local function add(title, more)
    table.insert(found, { title = title, spec = vim.tbl_extend("error", more, { needs_text = true }) })
  end
  for _, feature in ipairs(offers.features) do
    if feature.id == "rephrase" then
      for _, tone in ipairs(offers.tones) do
        add(feature.title .. ": " .. tone.title, { feature = "rephrase", tone = tone.id })
      end
    elseif feature.id == "summarize" then
      for _, style in ipairs(require("inkling.request").styles) do
        add(feature.title .. ": " .. style, { feature = "summarize", style = style })
      end
    elseif feature.id == "brainstorm" then
      for _, kind in ipairs(offers.kinds) do
        add(feature.title .. ": " .. kind.title, { feature = "brainstorm", kind = kind.id })
      end
    elseif feature.id ~= "chat" and feature.id ~= "generate" and feature.input == "selection" then
      add(feature.title, { feature = "command", id = feature.id })
    end
  end
  return found
end

-- Asks what to do with a region, which is followed meanwhile.
function M.menu(buffer, region, chosen)
  local mark = text.follow(buffer, region, true)
  local function ended()
    local place = text.where(buffer, mark)
    text.forget(buffer, mark)
    return place
  end
  client.when_ready(function(problem)
    if problem then
      ended()
      return task.fail(problem)
    end
    vim.ui.select(choices(client.offers), {
      prompt = "Inkling",
      format_item = function(choice)
        return choice.title
      end,
    }, function(choice)
      local place = ended()
      if choice and place then
        chosen(choice.spec, place)
      else
        prewarm.cancel()
      end
    end)
  end)
end

-- 'operatorfunc'.
function M.run(kind)
  local buffer = vim.api.nvim_get_current_buf()
  local region, problem = text.operated(buffer, kind)
  prewarm.used()
  if not region then
    return task.fail(problem)
  end
  if choosing then
    choosing = false
    return M.menu(buffer, region, function(choice, place)
      -- The dot repeats what was chosen.
      spec = choice
      task.start(buffer, place, vim.deepcopy(spec))
    end)
  end
  task.start(buffer, region, vim.deepcopy(spec))
end

-- For mappings with <expr>: sets what is asked for and begins the operator. Without a spec a menu asks.
function M.begin(next_spec)
  choosing = next_spec == nil
  if next_spec then
    spec = vim.tbl_extend("force", { needs_text = true }, next_spec)
    if spec.now == nil then
      spec.now = not require("inkling.config").get().preview
    end
  end
  vim.go.operatorfunc = "v:lua.require'inkling.operator'.run"
  return "g@"
end

return M
