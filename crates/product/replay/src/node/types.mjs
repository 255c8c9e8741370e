// Types are blanked out by Node, or by the package typescript, or by serval where Node is older than 22.13.
const plain = async (source) => {
  const { createRequire, stripTypeScriptTypes } = await import('node:module');
  if (stripTypeScriptTypes) {
    try {
      return stripTypeScriptTypes(source);
    } catch {
      // Enums and parameters that are fields are no types alone.
      return stripTypeScriptTypes(source, { mode: 'transform' });
    }
  }
  try {
    const options = { compilerOptions: { target: 99, module: 99 } };
    return createRequire(import.meta.url)('typescript').transpileModule(source, options).outputText;
  } catch {
    const { execFileSync } = await import('node:child_process');
    const { fileURLToPath } = await import('node:url');
    return execFileSync(process.env.SERVAL ?? 'serval', ['export', fileURLToPath(place), '--to', 'js'], { encoding: 'utf8' });
  }
};
