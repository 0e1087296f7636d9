#!/usr/bin/env node
/**
 * Says which files, and which folders, import each other, directly or over others. A folder and its subfolder are two
 * folders. Imports of types count. Specs are outside of the rules for folders: no file imports them.
 */
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { posix } from 'node:path';
import { readArguments } from './lib/arguments.mjs';
import { main, ROOT } from './lib/run.mjs';

const HELP = `Usage: node tools/check-imports.mjs

Checks that imports go one way: no circle of files, no circle of folders, and no area of an app imports an area above it.
`;

const ROOTS = ['apps', 'libs', 'devnet', 'tools'];

/** The areas of an app. An area imports the areas before it; the files beside the areas put them all together. */
const AREAS = {
  'apps/dashboard/src': ['platform', 'access', 'programs', 'outbound', 'activity', 'operator', 'schema', 'metrics'],
  'apps/paymaster-rpc/src': [
    ...['platform', 'snapshots', 'chains', 'callers', 'hold', 'decide', 'sign'],
    ...['answers', 'bundlers', 'metrics', 'wire', 'owner'],
  ],
};
/** Proofs may import all of their app; nothing imports them. */
const TESTS = /\.spec\.ts$|\/testing\//;

/** @returns {Promise<Map<string, Set<string>>>} the files that each file imports */
async function importsOfFiles() {
  const tsConfigPath = posix.join(ROOT, 'tsconfig.base.json');
  const tsConfig = extractTSConfig(tsConfigPath);
  const options = { baseDir: ROOT, includeOnly: `^(${ROOTS.join('|')})/`, exclude: '/node_modules/' };
  const { output } = await cruise(
    ROOTS,
    { ...options, skipAnalysisNotInRules: true, tsPreCompilationDeps: true, tsConfig: { fileName: tsConfigPath } },
    {},
    { tsConfig },
  );
  return new Map(
    output.modules.map(({ source, dependencies }) => [source, new Set(dependencies.map((each) => each.resolved))]),
  );
}

/** @returns {Map<string, Set<string>>} the folders that each folder imports from, specs left aside */
function importsOfFolders(files) {
  const folders = new Map();
  for (const [file, imported] of files) {
    if (/\.spec\.ts$/.test(file)) continue;
    const from = posix.dirname(file);
    if (!folders.has(from)) folders.set(from, new Set());
    for (const to of imported) if (posix.dirname(to) !== from) folders.get(from).add(posix.dirname(to));
  }
  return folders;
}

/** @returns {string[]} a sentence for each import of an area that stands above, and for each folder that is no area */
function arrowsUp(files) {
  return Object.entries(AREAS).flatMap(([app, areas]) => {
    const areaOf = (file) =>
      file.startsWith(`${app}/`)
        ? file
            .slice(app.length + 1)
            .split('/')
            .slice(0, -1)[0]
        : undefined;
    return [...files].flatMap(([file, imported]) => {
      const own = areaOf(file);
      if (own === undefined || TESTS.test(file)) return [];
      if (!areas.includes(own))
        return [`${file} stands in no area of ${app}: AREAS of tools/check-imports.mjs lists them.`];
      const above = [...imported].filter((it) => areas.indexOf(areaOf(it)) > areas.indexOf(own));
      return above.map((it) => `${file} imports ${it}, but ${areaOf(it)} stands above ${own}.`);
    });
  });
}

/** @returns {string[][]} a shortest circle through each node that is in one; each circle once */
function circles(graph) {
  const found = new Map();
  for (const start of graph.keys()) {
    const circle = wayBack(graph, start);
    if (circle) found.set([...circle].sort().join(), circle);
  }
  return [...found.values()];
}

function wayBack(graph, start) {
  const reachedFrom = new Map([[start, undefined]]);
  for (const node of reachedFrom.keys()) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) return wayTo(node, reachedFrom);
      if (!reachedFrom.has(next)) reachedFrom.set(next, node);
    }
  }
  return undefined;
}

function wayTo(node, reachedFrom) {
  const before = reachedFrom.get(node);
  return before === undefined ? [node] : [...wayTo(before, reachedFrom), node];
}

main(async () => {
  readArguments(HELP);
  const files = await importsOfFiles();
  const folders = importsOfFolders(files);
  const exampleOf = (from, to) =>
    [...files].find(
      ([file, imported]) =>
        posix.dirname(file) === from &&
        !/\.spec\.ts$/.test(file) &&
        [...imported].some((it) => posix.dirname(it) === to),
    )?.[0];
  const problems = [
    ...arrowsUp(files),
    ...circles(files).map((circle) => `These files import each other: ${[...circle, circle[0]].join(' > ')}`),
    ...circles(folders).map((circle) => {
      const imports = circle.map((from, at) => `${exampleOf(from, circle[(at + 1) % circle.length])} imports from`);
      return `These folders import each other: ${circle.join(', ')} (${imports.join(', ')} the next).`;
    }),
  ];
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  return problems.length > 0 ? 1 : 0;
});
