#!/usr/bin/env node
/** What a browser loads of the built web page: how much, and from where. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from './lib/arguments.mjs';
import { CommandFailed, main, ROOT } from './lib/run.mjs';
import { say } from './lib/steps.mjs';

const HELP = `Usage: node tools/check-web-page.mjs

Checks the page in dist/apps/dashboard-web as the dashboard sends it to a browser, compressed with brotli. All that is
loaded until the overview can be read (document, style, scripts, chart) takes at most 200 kB, a further screen at most
60 kB more. The style has all classes of Mantine that scripts use. Nothing names another origin to load from. Prints the
sizes.
`;

const KB = 1_000;
const OVERVIEW_KB = 200;
const SCREEN_KB = 60;
const OVERVIEW = /screens\/overview\/(overview-screen|usage-over-time)\.tsx$/;
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

/** @returns a sentence for each thing that is wrong, and the sizes on the wire in kB */
export function checkWebPage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'build-manifest.json'), 'utf8'));
  const names = Object.keys(manifest);
  const assets = readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`);
  const page = readFileSync(join(folder, 'index.html'), 'utf8').match(/assets\/[^"]+/g);
  const parts = names.filter((name) => OVERVIEW.test(name));
  const overview = new Set([
    'index.html',
    'favicon.svg',
    ...page,
    ...parts.flatMap((name) => [...filesOf(manifest, name)]),
  ]);
  const sizes = { 'until the overview can be read': sizeOf(folder, overview) };
  for (const name of names.filter((each) => manifest[each].isDynamicEntry && !parts.includes(each))) {
    sizes[name] = sizeOf(
      folder,
      [...filesOf(manifest, name)].filter((file) => !overview.has(file)),
    );
  }
  const problems = Object.entries(sizes)
    .filter(([, size], index) => size > (index === 0 ? OVERVIEW_KB : SCREEN_KB))
    .map(([name, size]) => `${name}: ${size} kB on the wire, which is too much`);
  return { problems: [...problems, ...missingStyles(folder, assets), ...foreignAddresses(folder)], sizes };
}

/** The scripts that are loaded with a module before it runs. */
function filesOf(manifest, name, found = new Set()) {
  const { file, imports = [] } = manifest[name];
  if (found.has(file)) return found;
  found.add(file);
  for (const each of imports) filesOf(manifest, each, found);
  return found;
}

/** What the dashboard sends to a browser that takes brotli. */
function sizeOf(folder, files) {
  const sent = [...files]
    .map((file) => join(folder, file))
    .map((file) => (existsSync(`${file}.br`) ? `${file}.br` : file));
  return Math.ceil(sent.reduce((sum, file) => sum + statSync(file).size, 0) / KB);
}

/** The build drops the styles of components that it takes for unused (build/used-styles.mts). */
function missingStyles(folder, assets) {
  const classesIn = (text) => new Set(text.match(/\bm_[0-9a-f]+\b/g));
  const textOf = (ending) =>
    assets
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  const sheet = classesIn(readFileSync(join(ROOT, 'node_modules/@mantine/core/styles.css'), 'utf8'));
  const styled = classesIn(textOf('.css'));
  return [...classesIn(textOf('.js'))]
    .filter((name) => sheet.has(name) && !styled.has(name))
    .map((name) => `a script uses the class ${name}, which the style lacks`);
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
