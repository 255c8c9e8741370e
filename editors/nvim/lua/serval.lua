-- serval for Neovim, from 0.7.2 on. In init.lua: require("serval").setup()
-- What the names of texts end with, and what their kinds are called.
local KINDS = {
  ser = "serval",
  tso = "serval-tso",
  litmus = "serval-litmus",
  net = "serval-net",
  pnml = "serval-pnml",
  vass = "serval-vass",
}

local M = {}

M.options = {
  cmd = { "serval", "lsp" },
  -- What the server gets: check = "change", "save" or "command"; timeout in seconds, 0 for no limit.
  init_options = {},
}

local function root(file)
  local folder = vim.fn.fnamemodify(file ~= "" and file or vim.fn.getcwd() .. "/x", ":p:h")
  local found = vim.fn.findfile("serval.toml", folder .. ";")
  return found ~= "" and vim.fn.fnamemodify(found, ":p:h") or folder
end

-- The server draws lenses and hints anew when told; older editors ask only after an edit.
local handlers = {
  ["workspace/codeLens/refresh"] = function()
    pcall(vim.lsp.codelens.refresh)
    return vim.NIL
  end,
}

-- For 0.7: one client for each folder.
local clients = {}

local function start(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  local config = {
    name = "serval",
    cmd = M.options.cmd,
    root_dir = root(file),
    init_options = M.options.init_options,
    handlers = handlers,
    on_attach = M.options.on_attach,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  if not clients[config.root_dir] then
    config.on_exit = function()
      clients[config.root_dir] = nil
    end
    clients[config.root_dir] = vim.lsp.start_client(config)
  end
  if clients[config.root_dir] then
    vim.lsp.buf_attach_client(buffer, clients[config.root_dir])
  end
end

function M.setup(options)
  M.options = vim.tbl_deep_extend("force", M.options, options or {})
  if vim.filetype and vim.filetype.add then
    vim.filetype.add({ extension = KINDS })
  end
  local group = vim.api.nvim_create_augroup("serval", {})
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    group = group,
    pattern = vim.tbl_map(function(ending) return "*." .. ending end, vim.tbl_keys(KINDS)),
    callback = function(event)
      vim.bo[event.buf].filetype = KINDS[event.match:match("%.(%a+)$")]
    end,
  })
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = vim.tbl_values(KINDS),
    callback = function(event)
      vim.bo[event.buf].commentstring = "// %s"
      start(event.buf)
    end,
  })
end

return M
