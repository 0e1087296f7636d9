/** Where forge and anvil are: the optional dependency of this platform, else the PATH. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export function findFoundryTool(name) {
  const packaged = `@foundry-rs/${name}-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    const path = join(dirname(require.resolve(`${packaged}/package.json`)), 'bin', name);
    if (existsSync(path)) return path;
  } catch {
    // Not installed for this platform: look further.
  }
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);
}

/** As above; ends the process with one sentence when the tool is nowhere. */
export function requireFoundryTool(name) {
  const path = findFoundryTool(name);
  if (path) return path;
  console.error(`${name} was not found: run npm install on Linux x64, or put Foundry's ${name} on the PATH.`);
  process.exit(1);
}
