-- Inkling for Neovim: what other configuration may call.
local M = {}

-- Optional. See :help inkling-settings.
function M.setup(settings)
  require("inkling.config").set(settings)
  M.map()
end

local mapped = {}

local function map(mode, key, plug)
  local name = plug:match("inkling%-(.*)%)"):gsub("%-", " ")
  vim.keymap.set(mode, key, plug, { remap = true, desc = "Inkling: " .. name })
  table.insert(mapped, { mode, key, plug })
end

-- The keys that begin; a key that is mapped already, or a <Plug> that has a key, is left alone. Those that were mapped
-- here before are taken back first, for the settings may have come after them.
function M.map()
  for _, mapping in ipairs(mapped) do
    if vim.fn.maparg(mapping[2], mapping[1]) == mapping[3] then
      vim.keymap.del(mapping[1], mapping[2])
    end
  end
  mapped = {}
  local plugs = {
    rephrase = { "<Plug>(inkling-rephrase)", "<Plug>(inkling-rephrase-paragraph)" },
    menu = { "<Plug>(inkling-menu)" },
  }
  for name, key in pairs(require("inkling.config").get().mappings) do
    local plug = plugs[name]
    if key and plug then
      for _, mode in ipairs({ "n", "x" }) do
        if vim.fn.maparg(key, mode) == "" and vim.fn.hasmapto(plug[1], mode) == 0 then
          map(mode, key, plug[1])
          if mode == "n" and plug[2] then
            -- Twice the key's last character: the paragraph, as dd is the line.
            map(mode, key .. key:sub(-1), plug[2])
          end
        end
      end
    end
  end
end

-- For a status line: empty when nothing is at work.
function M.status()
  return require("inkling.status").get()
end

-- For mappings with { expr = true }: an operator for a spec such as { feature = "rephrase", tone = "shorter" },
-- { feature = "summarize", style = "bullets", count = 3 }, { feature = "command", id = "commit" }.
function M.operator(spec)
  return require("inkling.operator").begin(spec)
end

return M
