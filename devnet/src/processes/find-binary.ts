import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where distributions put servers that are not on every user's PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'];

/** Full path of an executable on PATH or in the usual system folders; undefined when there is none. */
export function findOnPath(name: string, extraFolders: readonly string[] = []): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...SYSTEM_FOLDERS, ...extraFolders];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** The program that the user names in a variable of the environment, if any. @throws when there is none at that path */
export function namedBinary(variable: string): string | undefined {
  const named = process.env[variable] || undefined;
  if (named && !isExecutable(named)) throw new Error(`${variable} names ${named}, which is not an executable file.`);
  return named;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `<root>/<version>/bin` folders, newest version first (Debian keeps Postgres so). */
export function versionedBinFolders(root: string): string[] {
  try {
    return readdirSync(root)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}

/** Folder of an installed npm package, or undefined when it is not there (optional dependency of another platform). */
export function packageFolder(name: string): string | undefined {
  for (const root of require.resolve.paths(name) ?? []) {
    const folder = join(root, name);
    if (isExecutable(folder)) return folder;
  }
  return undefined;
}
