-- What is asked and what the answer says. A spec holds what a person has chosen:
-- feature, tone, style, count, kind, topic, id (of a command of the configuration), instructions, voice, placement,
-- now (without a preview), needs_text (the region is the input).
local client = require("inkling.client")
local config = require("inkling.config")

local M = {}

M.kinds = { "ideas", "sequel", "character", "storyArc", "tags" }
M.styles = { "sentences", "bullets", "headline" }

local language_ids = { tex = "latex", plaintex = "latex", sh = "shellscript", javascriptreact = "javascriptreact" }
local formats = { markdown = "markdown", org = "org", tex = "latex", plaintex = "latex" }

function M.feature(id)
  for _, feature in ipairs((client.offers or {}).features or {}) do
    if feature.id == id then
      return feature
    end
  end
end

function M.title(spec)
  local feature = M.feature(spec.id or spec.feature)
  local title = feature and feature.title or (spec.id or spec.feature):gsub("^%l", string.upper)
  local more = spec.tone or spec.style or spec.kind
  return more and ("%s: %s"):format(title, more) or title
end

function M.placement(spec)
  if spec.placement then
    return spec.placement
  end
  local configured = config.get().placement[spec.id or spec.feature]
  if configured then
    return configured
  end
  local feature = M.feature(spec.id or spec.feature)
  return feature and feature.output == "replace" and "replace" or "below"
end

local function surroundings(buffer, region)
  local filetype = vim.bo[buffer].filetype
  local context = { languageId = filetype ~= "" and (language_ids[filetype] or filetype) or nil }
  local count = config.get().context_lines
  if count > 0 then
    local text = require("inkling.text")
    local first, last = math.max(region[1] - count, 0), region[3] + count
    local stop = math.min(last, vim.api.nvim_buf_line_count(buffer) - 1)
    local before = text.get(buffer, { first, 0, region[1], region[2] })
    local after = text.get(buffer, { region[3], region[4], stop, 2147483647 })
    if text.is_utf8(before) and text.is_utf8(after) then
      context.before, context.after = before, after
    end
  end
  return next(context) and context or nil
end

-- The fields that all requests share.
function M.common(buffer, region, spec)
  local settings = config.get()
  return {
    personality = spec.voice or settings.voice,
    instructions = spec.instructions or settings.instructions,
    protect = settings.protect,
    context = surroundings(buffer, region),
  }
end

function M.make(task, region, options)
  local spec, settings = task.spec, config.get()
  local params = M.common(task.buffer, region, spec)
  local chosen = vim.tbl_extend("force", settings.options or {}, options or {})
  params.options = next(chosen) and chosen or nil
  local format = formats[vim.bo[task.buffer].filetype] or "plaintext"
  if spec.feature == "rephrase" then
    params.text, params.tone = task.source, spec.tone or settings.tone
    params.alternatives = settings.alternatives
  elseif spec.feature == "summarize" then
    params.text, params.style = task.source, spec.style or settings.style
    params.count = spec.count or settings.count
  elseif spec.feature == "brainstorm" then
    params.topic, params.kind, params.count = spec.topic or task.source, spec.kind, spec.count
    params.format, params.protect = format, nil
  else
    params.id, params.text, params.format = spec.id, spec.topic or task.source, format
  end
  return "assistant/" .. spec.feature, params
end

local member_order = {}
for index, name in ipairs({
  "name", "species", "personality", "motivation", "flaw", "catchphrase", "movieTitle", "setting", "incitingIncident",
  "centralConflict", "darkestMoment", "resolution", "theme", "concepts", "themes", "suggestedTitle", "tags",
}) do
  member_order[name] = index
end

-- A value that is still being written, as lines to read. The order of members is lost in a Lua table: known ones come
-- in the daemon's order.
function M.shown_value(value)
  local lines = {}
  local function add(item, indent)
    if type(item) ~= "table" then
      table.insert(lines, indent .. tostring(item))
    elseif item[1] ~= nil then
      for _, member in ipairs(item) do
        if type(member) == "table" then
          add(member, indent .. "  ")
        else
          table.insert(lines, indent .. "- " .. tostring(member))
        end
      end
    else
      local names = vim.tbl_keys(item)
      table.sort(names, function(a, b)
        local left, right = member_order[a] or 100, member_order[b] or 100
        return left == right and tostring(a) < tostring(b) or left < right
      end)
      for _, name in ipairs(names) do
        if type(item[name]) == "table" then
          table.insert(lines, indent .. name .. ":")
          add(item[name], indent)
        else
          table.insert(lines, indent .. name .. ": " .. tostring(item[name]))
        end
      end
    end
  end
  add(value, "")
  return table.concat(lines, "\n")
end

local function warnings(result)
  local messages = {}
  for _, warning in ipairs(result.warnings or {}) do
    -- That a second draft was drawn is nothing that was lost.
    if warning.code ~= "retried" then
      table.insert(messages, warning.message)
    end
  end
  return messages
end

-- The tone of what is asked without one, as far as an answer has told it: the configuration of Inkling may name it.
M.default_tone = nil

local function learn_tone(task, result)
  if task.spec.feature == "rephrase" and not task.spec.tone and not config.get().tone then
    M.default_tone = result.tone or M.default_tone
  end
end

-- The texts of a result, each with what leads to it; none that is empty, for an empty answer would delete.
function M.answers(task, result)
  learn_tone(task, result)
  local texts = result.alternatives or { result.rendered or result.text }
  if #texts == 0 then
    texts = { result.text }
  end
  local found = {}
  for index, words in ipairs(texts) do
    if vim.bo[task.buffer].fileformat == "dos" then
      -- The lines of such a buffer are held without the CR that the file has.
      words = words:gsub("\r\n", "\n")
    end
    if words:find("%S") then
      table.insert(found, {
        text = words,
        edits = index == 1 and result.edits or nil,
        -- The texts that it was written for: that one, and those that single changes of it lead to.
        known = { [task.source] = true },
        warnings = warnings(result),
      })
    end
  end
  return found
end

return M
