-- From the key to the first word that is shown, in milliseconds: the first request, which starts the daemon and loads
-- the model; texts that the daemon has not seen; and texts that were selected a while before.
local program = os.getenv("INKLING_BINARY") or "inkling"

local subjects = {
  "The ferry", "A train", "My neighbour", "The committee", "This letter", "Our garden", "The old clock", "A visitor",
  "The harbour", "Her brother", "The kitchen", "That winter", "The orchestra", "A carpenter",
}
local lines = {}
for _, subject in ipairs(subjects) do
  table.insert(lines, subject .. " was kinda late again, and nobody knew what to do about it, so they waited outside.")
  table.insert(lines, "")
end

local editor = Editor.new({ lines = lines, command = { program, "connect" } })
editor:lua([[
  local set = vim.api.nvim_buf_set_extmark
  vim.api.nvim_buf_set_extmark = function(buffer, namespace, row, column, options)
    for _, line in ipairs(options.virt_lines or {}) do
      if line[1][2] == "InklingPreview" and not first then first = vim.loop.hrtime() end
    end
    return set(buffer, namespace, row, column, options)
  end
]])

local paragraph = -1

local function measure(keys, before)
  paragraph = paragraph + 2
  editor:keys(paragraph .. "G")
  if before then
    before()
  end
  editor:lua("first = nil")
  local began = vim.loop.hrtime()
  editor:request("nvim_input", keys)
  local shown = Wait(function()
    local first = editor:lua("return first")
    return first ~= vim.NIL and first
  end, "the first word", 60000)
  Wait(function()
    return editor:shown():find("gy accept", 1, true)
  end, "the answer", 60000)
  editor:keys("<C-c>")
  return (shown - began) / 1e6
end

local function report(name, values)
  table.sort(values)
  io.stdout:write(("%-11s median %.0f ms, %.0f to %.0f ms, %d times\n"):format(
    name, values[math.ceil(#values / 2)], values[1], values[#values], #values))
end

report("first", { measure("gzz") })
local warm, prewarmed = {}, {}
for _ = 1, 5 do
  table.insert(warm, measure("gzz"))
  table.insert(prewarmed, measure("gz", function()
    editor:keys("V")
    -- The selection rests as long as it takes a person to read a sentence.
    vim.wait(2000)
  end))
end
report("warm", warm)
report("prewarmed", prewarmed)
editor:quit()
vim.fn.system({ program, "stop", "--force" })
