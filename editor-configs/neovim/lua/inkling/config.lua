-- Settings: the defaults, and what setup() lays over them.
local M = {}

M.defaults = {
  command = { "inkling", "connect" },
  -- The keys that begin; false for none. A key that is mapped already is left alone.
  mappings = { rephrase = "gz", menu = "gZ" },
  -- Keys of the buffer while a preview is at the cursor, and of the preview's window.
  keys = {
    accept = "gy",
    reject = "<C-c>",
    retry = "g.",
    next = "g)",
    previous = "g(",
    diff = "g=",
    hunk = "gl",
    next_hunk = "g}",
    previous_hunk = "g{",
    instructions = "g:",
    yank = "gY",
    open = "gL",
  },
  chat_keys = { send = "<CR>", stop = "<C-c>", retry = "g.", undo = "gb" },
  preview = true,
  -- Rows of virtual text under the source; longer answers are shown in a floating window.
  preview_rows = 8,
  -- replace, below, above, buffer, echo or yank; by feature or by the id of a command of yours.
  placement = { rephrase = "replace", summarize = "below", brainstorm = "below" },
  register = '"',
  tone = nil,
  voice = nil,
  instructions = nil,
  style = "sentences",
  count = nil,
  alternatives = 1,
  options = nil,
  protect = nil,
  -- Lines before and after the text that the model is shown.
  context_lines = 0,
  prewarm = {
    enabled = true,
    -- Also on battery; also when that starts the program, and the daemon with its model.
    battery = false,
    start = false,
    milliseconds = 300,
    characters = 8000,
    deny = {
      ".env*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.gpg", "*.asc", "*.kdbx", "id_*", "credentials*",
      "*secret*", ".netrc", ".pgpass", ".authinfo*", ".npmrc", ".pypirc", "*/.ssh/*", "*/.gnupg/*", "*/.aws/*",
    },
  },
  chat = { instructions = nil, window = "botright split", keep = false },
}

local values = vim.deepcopy(M.defaults)

local placements = { replace = true, below = true, above = true, buffer = true, echo = true, yank = true }

-- The word for an unknown placement is refused here, before text depends on it.
function M.check_placement(word)
  if not placements[word] then
    return ("there is no placement “%s”: replace, below, above, buffer, echo or yank"):format(word)
  end
end

function M.placements()
  local names = vim.tbl_keys(placements)
  table.sort(names)
  return names
end

local function is_map(value)
  return type(value) == "table" and value[1] == nil
end

-- Maps are laid over each other; lists are taken whole, an empty one too.
local function merge(known, given)
  local merged = vim.deepcopy(known)
  for name, value in pairs(given) do
    if is_map(known[name]) then
      -- `keys = false` means none of them.
      merged[name] = is_map(value) and merge(known[name], value) or {}
    else
      merged[name] = value
    end
  end
  return merged
end

-- Problems with settings, in words; names that are not known are most often misspelt.
function M.problems()
  local found = {}
  local optional = {
    tone = true, voice = true, instructions = true, count = true, options = true, protect = true, deny = true,
  }
  local function compare(given, known, path)
    for name, value in pairs(given) do
      if known[name] == nil and not optional[name] then
        table.insert(found, ("there is no setting “%s%s”"):format(path, name))
      elseif is_map(known[name]) and is_map(value) and name ~= "placement" then
        compare(value, known[name], path .. name .. ".")
      end
    end
  end
  compare(values, M.defaults, "")
  for _, word in pairs(values.placement) do
    found[#found + 1] = M.check_placement(word)
  end
  return found
end

function M.set(given)
  values = merge(M.defaults, given or {})
  for _, problem in ipairs(M.problems()) do
    vim.notify("Inkling: " .. problem, vim.log.levels.WARN)
  end
end

function M.get()
  return values
end

return M
