-- One session, without a screen: open, wait for the verdict, apply a fix, rename, format, write.
-- SERVAL is the program, FILE the text. What goes wrong is said, and the exit status is 1.
local function fail(what)
  io.stderr:write("nvim: " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, condition)
  if not vim.wait(tonumber(os.getenv("PATIENCE") or "60") * 1000, condition, 20) then
    fail("no " .. what)
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function told(start)
  for _, one in ipairs(vim.diagnostic.get(0)) do
    if one.message:sub(1, #start) == start then
      return true
    end
  end
  return false
end

local attached = nil
require("serval").setup({
  cmd = { os.getenv("SERVAL"), "lsp" },
  init_options = { timeout = 0 },
  on_attach = function(client)
    attached = client
  end,
})
vim.cmd("filetype on")
vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("FILE")))
wait("server", function() return attached end)
wait("verdict", function() return told("not serializable: lost-update") end)

local params = { textDocument = vim.lsp.util.make_text_document_params(), context = { diagnostics = {} } }
params.range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 0 } }
local fix = nil
wait("fix", function()
  local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 5000) or {}
  for _, answer in pairs(answers) do
    for _, action in ipairs(answer.result or {}) do
      if action.title:match("%(proved%)$") then
        fix = fix or action
      end
    end
  end
  return fix
end)
vim.lsp.util.apply_workspace_edit(fix.edit, attached.offset_encoding or "utf-16")
wait("verdict about the fix", function() return told("serializable") end)

vim.fn.search("seen")
vim.lsp.buf.rename("noticed")
wait("other name", function() return not text():match("seen") end)

if vim.lsp.buf.format then
  vim.lsp.buf.format({ timeout_ms = 20000 })
else
  vim.lsp.buf.formatting_sync(nil, 20000)
end
vim.cmd("write")
vim.cmd("qall!")
