#!/usr/bin/env node
/** What a browser loads of the built web page: how much, and from where. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readArguments } from './lib/arguments.mjs';
import { CommandFailed, main, ROOT } from './lib/run.mjs';
import { say } from './lib/steps.mjs';

const HELP = `Usage: node tools/check-web-page.mjs

Checks the page in dist/apps/dashboard-web: scripts of the first load take at most 240 kB (gzip), a screen at most 100 kB
more, and nothing names another origin to load from. Prints the sizes.
`;

const KB = 1_000;
const FIRST_LOAD_KB = 240;
const SCREEN_KB = 100;
/** Of addresses in the texts of errors, and names of XML; nothing is loaded from them. */
const ONLY_NAMED = new Set([
  'www.w3.org',
  'www.rfc-editor.org',
  'eips.ethereum.org',
  'docs.soliditylang.org',
  'react.dev',
  'viem.sh',
  'oxlib.sh',
  'abitype.dev',
  'tanstack.com',
  'mantine.dev',
  'help.mantine.dev',
  'github.com',
  'gateway.example.org',
  'app.example.org',
  'hooks.example.org',
]);

/** @returns a sentence for each thing that is wrong, and the sizes in kB (gzip) */
export function checkWebPage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'build-manifest.json'), 'utf8'));
  const entry = Object.keys(manifest).find((name) => manifest[name].isEntry);
  const first = filesOf(manifest, entry);
  const sizes = { 'first load': sizeOf(folder, first) };
  for (const [name, { isDynamicEntry }] of Object.entries(manifest)) {
    if (!isDynamicEntry) continue;
    sizes[name] = sizeOf(folder, new Set([...filesOf(manifest, name)].filter((file) => !first.has(file))));
  }
  const problems = Object.entries(sizes)
    .filter(([name, size]) => size > (name === 'first load' ? FIRST_LOAD_KB : SCREEN_KB))
    .map(([name, size]) => `${name} takes ${size} kB of script (gzip), which is too much`);
  return { problems: [...problems, ...foreignAddresses(folder)], sizes };
}

/** The scripts that are loaded with a module before it runs. */
function filesOf(manifest, name, found = new Set()) {
  const { file, imports = [] } = manifest[name];
  if (found.has(file)) return found;
  found.add(file);
  for (const each of imports) filesOf(manifest, each, found);
  return found;
}

function sizeOf(folder, files) {
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  return Math.ceil(bytes / KB);
}

function foreignAddresses(folder) {
  const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(html|css|js|svg)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return texts.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/https?:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi)]
      .filter(([, host]) => !ONLY_NAMED.has(host))
      .map(([address]) => `${file.slice(folder.length + 1)} names ${address}`),
  );
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  readArguments(HELP);
  main(async () => {
    const { problems, sizes } = checkWebPage(join(ROOT, 'dist/apps/dashboard-web'));
    for (const [name, size] of Object.entries(sizes)) say(`${String(size).padStart(4)} kB  ${name}`);
    if (problems.length > 0) throw new CommandFailed(problems.join('\n'));
  });
}
