#!/usr/bin/env node
/**
 * Says which worlds of tests set a bound that users get a default of: what is refused with the default would then be
 * seen by users only. A test that needs another bound sets it for a paymaster or a chain of its own; where that is
 * made by a helper, a comment `Own bound: why` stands above it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from './lib/arguments.mjs';
import { main, ROOT } from './lib/run.mjs';

const HELP = `Usage: node tools/check-world-bounds.mjs [--file FILE]…

Checks that no world of tests sets a bound that has a default, except under a comment "Own bound: why".
`;

/** What many tests share. Specs are not meant: each has its paymaster and its chain to itself. */
const WORLDS = /(^(devnet|tools)\/|-e2e\/|\/(testing|bench|siphon|isolation)\/).*\.m?ts$|^tools\/.*\.mjs$/;
/** Specs; the command of operators; this one; words of policies and of single refusals. */
const NOT_WORLDS = /\.spec\.ts$|^tools\/(contracts|mutants|check-world-bounds)|\/(corpus|examples|pictures)\//;
/** What bounds one client or one paymaster, and how gateways and the dashboard name it. */
const CAPS = ['liveSignatureCaps', 'maxLiveSignatures\\w+', 'clientSharePercent', 'spendingBrake'];
const VARIABLES = ['(?:MAX_LIVE_SIGNATURES|RATE_LIMIT)_\\w+'];
const EXCUSED = /^\s*(\/\/|\/?\*).*Own bound: \S/;
/** A comment that begins so many lines above is still about it. */
const COMMENT_LINES = 6;

/** The bounds of a chain that have a default, as `chains.json` names them. */
function boundsOfChains() {
  const schema = readFileSync(join(ROOT, 'libs/chain/src/chains/chains-schema.ts'), 'utf8');
  const [, defaults = ''] = /const DEFAULT_BOUNDS = \{([^}]*)\}/.exec(schema) ?? [];
  const names = [...defaults.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name);
  if (names.length === 0) throw new Error('chains-schema.ts has no DEFAULT_BOUNDS');
  return names;
}

/** @returns {string[]} a sentence for each bound that the file sets */
function boundsSetIn(file, names) {
  const setting = new RegExp(`(?<![\\w.])['"]?(${names.join('|')})['"]?:(?! (bigint|string|number|boolean)\\b)`);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const [, name] = setting.exec(line) ?? [];
    const isExcused = lines.slice(Math.max(0, at - COMMENT_LINES), at + 1).some((each) => EXCUSED.test(each));
    return name && !isExcused ? [`${file}:${at + 1} sets ${name}, which users have the default of.`] : [];
  });
}

main(async () => {
  const tracked = () => execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  const { file: files = tracked().filter((path) => WORLDS.test(path) && !NOT_WORLDS.test(path)) } = readArguments(
    HELP,
    {
      file: { type: 'string', multiple: true },
    },
  );
  const names = [...boundsOfChains(), ...CAPS, ...VARIABLES];
  const problems = files.flatMap((path) => boundsSetIn(path, names));
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  return problems.length > 0 ? 1 : 0;
});
