#!/usr/bin/env node
/**
 * Breaks the code in one place at a time and looks whether a test notices. A list, tools/mutants/<name>.json, has:
 *  - copy: folders that are copied to a temporary folder, node_modules linked beside them; nothing else is changed
 *  - folder: where the commands run, and what the files of the mutants are relative to
 *  - failed: a regular expression, what a failed test leaves in the output; its first group names the test
 *  - result: the file that --write writes, where the list has one
 *  - checks: by name, commands, the quickest first, environment in front; a mutant lives when they all pass
 *  - mutants: file, from (occurs there once), to, check, why (what would go wrong); `also` are further edits of the same
 *    mutant; `equivalent` is the reason why nothing can notice it
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { readArguments } from './lib/arguments.mjs';
import { CommandFailed, main, ROOT, run } from './lib/run.mjs';
import { notDoneWithin } from './lib/overdue.mjs';
import { say } from './lib/steps.mjs';

const LISTS = join(ROOT, 'tools/mutants');
const HALF_OF_THE_CORES = Math.max(1, Math.floor(availableParallelism() / 2));

const HELP = `Usage: node tools/mutants.mjs [--list <name>] [--only <text or numbers>] [--workers <n>] [--quick] [--write] [--check]

Breaks the code in one place at a time, in a copy, and says which of these mutants no test notices. Fails when one lives
that is not marked as equivalent, when one that is marked dies, and when one does not compile.

  --list <name>     tools/mutants/<name>.json: contracts (unless said otherwise) or services
  --only <which>    mutants with this text in them, or numbers: 7 or 3,12-30
  --workers <n>     mutants at the same time (half of the cores: ${HALF_OF_THE_CORES})
  --quick           only the first command of each check: what lives may die in the others
  --write           write the figures to the list's result file, where it has one; not of a part
  --check           only look whether each mutant of each list still applies, in no time
`;

/** What the mutant changes: file, from, to. */
const editsOf = ({ also = [], ...mutant }) => [mutant, ...also];

function readList(name) {
  const path = join(LISTS, `${name}.json`);
  if (!existsSync(path)) throw new CommandFailed(`There is no list ${path}.`);
  const list = JSON.parse(readFileSync(path, 'utf8'));
  list.mutants.forEach((mutant, index) => Object.assign(mutant, { number: index + 1 }));
  return list;
}

/** What keeps mutants from being applied, a line each. */
function problemsOf(name, { folder, checks, mutants }) {
  const seen = new Set();
  return mutants.flatMap((mutant) => {
    const problems = editsOf(mutant).flatMap(({ file, from, to }) => {
      const path = join(ROOT, folder, file);
      const found = existsSync(path) ? readFileSync(path, 'utf8').split(from).length - 1 : 0;
      if (found !== 1) return [`occurs ${found} times in ${file}: ${from}`];
      return from === to ? [`changes nothing: ${from}`] : [];
    });
    const key = JSON.stringify(editsOf(mutant).map(({ file, from, to }) => [file, from, to]));
    if (seen.has(key)) problems.push('is in the list twice');
    seen.add(key);
    if (!checks[mutant.check]) problems.push(`has an unknown check: ${mutant.check}`);
    if (!mutant.why) problems.push('has no reason (why)');
    return problems.map((problem) => `${name} ${mutant.number}: ${problem}`);
  });
}

function selected(mutants, only) {
  const ranges = /^[\d,-]+$/.test(only ?? '') && only.split(',').map((range) => range.split('-').map(Number));
  const matches = ({ number, ...mutant }) =>
    ranges
      ? ranges.some(([from, to = from]) => number >= from && number <= to)
      : !only || JSON.stringify(mutant).includes(only);
  const found = mutants.filter(matches);
  if (found.length === 0) throw new CommandFailed('There is no such mutant.');
  return found;
}

/** A copy of what the list names, in which one mutant at a time is tried. */
class Copy {
  #root = mkdtempSync(join(tmpdir(), 'mutants-'));
  #list;
  #state;
  /** By command that passed without a mutant: how long it may take with one, seconds. */
  #limits = new Map();

  constructor(list, state) {
    this.#list = list;
    this.#state = state;
    const git = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...list.copy];
    for (const file of execFileSync('git', git, { cwd: ROOT, encoding: 'utf8' }).split('\0'))
      if (file && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(this.#root, file));
    symlinkSync(join(ROOT, 'node_modules'), join(this.#root, 'node_modules'));
  }

  remove() {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Runs the mutant's commands until one ends badly; the answer says how. */
  async try(mutant) {
    for (const command of this.#list.checks[mutant.check]) {
      await this.#mustPassUnchanged(command);
      const outcome = await this.#withMutant(mutant, () => this.#run(command, this.#limits.get(command)));
      if (outcome.is !== 'alive') return outcome;
    }
    return { is: 'alive' };
  }

  async #mustPassUnchanged(command) {
    if (this.#limits.has(command)) return;
    const started = Date.now();
    const { is, output } = await this.#run(command, 3_600);
    if (is !== 'alive') throw new CommandFailed(`${output}\nThis fails without any mutant: ${command}`);
    const seconds = Math.round((Date.now() - started) / 1_000);
    say(`passes without a mutant (${seconds} s): ${command}`);
    this.#limits.set(command, Math.max(300, 5 * seconds));
  }

  async #withMutant(mutant, action) {
    const files = editsOf(mutant).map(({ file, from, to }) => {
      const path = join(this.#root, this.#list.folder, file);
      const original = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        original.replace(from, () => to),
      );
      return { path, original };
    });
    try {
      return await action();
    } finally {
      for (const { path, original } of files.reverse()) writeFileSync(path, original);
    }
  }

  async #run(command, seconds) {
    const isLate = notDoneWithin(seconds);
    // A shell in between would be gone when a signal comes, and what it started would go on.
    const { code, output, overdue } = await run('sh', ['-c', `exec env ${command}`], {
      cwd: join(this.#root, this.#list.folder),
      env: { PATH: [join(this.#root, 'node_modules/.bin'), process.env.PATH].join(delimiter) },
      capture: true,
      show: false,
      overdue: () => this.#state.stopped ?? isLate(),
    });
    if (this.#state.stopped) throw new CommandFailed(this.#state.stopped);
    if (overdue) return { is: 'timed out', by: 'time', output };
    if (code === 0) return { is: 'alive', output };
    const failed = output.match(new RegExp(this.#list.failed, 'm'));
    // Without a failed test it proves nothing: most likely it does not compile.
    return failed ? { is: 'killed', by: failed[1] ?? 'a test', output } : { is: 'not run', output };
  }
}

/** Tries the mutants, each in the next copy that is free. */
async function tryAll(list, mutants, workers) {
  const state = { stopped: undefined };
  const stop = (reason) => (state.stopped ??= reason);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop('The run was ended.'));
  const queue = [...mutants];
  await Promise.all(
    Array.from({ length: Math.min(workers, queue.length) }, async () => {
      const copy = new Copy(list, state);
      try {
        for (let mutant = queue.shift(); mutant && !state.stopped; mutant = queue.shift()) {
          const started = Date.now();
          mutant.outcome = await copy.try(mutant);
          tell(mutant, Math.round((Date.now() - started) / 1_000));
        }
      } catch (error) {
        stop(error instanceof CommandFailed ? error.message : error.stack);
      } finally {
        copy.remove();
      }
    }),
  );
  if (state.stopped) throw new CommandFailed(state.stopped);
}

function tell({ number, file, why, equivalent, outcome }, seconds) {
  const isExpected = equivalent ? outcome.is === 'alive' : ['killed', 'timed out'].includes(outcome.is);
  const by = outcome.by ? `, by ${outcome.by}` : '';
  say(
    `${isExpected ? 'ok  ' : 'FAIL'} ${number} ${outcome.is}${equivalent ? ' (equivalent)' : ''}: ${basename(file)}: ${why} (${seconds} s${by})`,
  );
  if (outcome.is === 'not run') say(outcome.output.slice(-1_500));
}

/** How many of them ended how; the equivalent ones apart. */
function figuresOf(mutants) {
  const count = (test) => mutants.filter(test).length;
  const lives = ({ outcome }) => outcome.is === 'alive';
  const died = ({ outcome }) => ['killed', 'timed out'].includes(outcome.is);
  return {
    mutants: mutants.length,
    killed: count((mutant) => !mutant.equivalent && died(mutant)),
    timedOut: count((mutant) => !mutant.equivalent && mutant.outcome.is === 'timed out'),
    alive: count((mutant) => !mutant.equivalent && lives(mutant)),
    equivalent: count((mutant) => mutant.equivalent && lives(mutant)),
    equivalentKilled: count((mutant) => mutant.equivalent && died(mutant)),
    notRun: count(({ outcome }) => outcome.is === 'not run'),
  };
}

function write({ result, mutants }) {
  const files = [...new Set(mutants.map(({ file }) => file))].sort();
  const figures = files.map((file) => [file, figuresOf(mutants.filter((mutant) => mutant.file === file))]);
  const text = { ...figuresOf(mutants), files: Object.fromEntries(figures) };
  writeFileSync(join(ROOT, result), `${JSON.stringify(text, null, 2)}\n`);
}

main(async () => {
  const options = readArguments(HELP, {
    list: { type: 'string' },
    only: { type: 'string' },
    workers: { type: 'string', default: String(HALF_OF_THE_CORES) },
    quick: { type: 'boolean' },
    write: { type: 'boolean' },
    check: { type: 'boolean' },
  });
  const names = readdirSync(LISTS).flatMap((file) => (file.endsWith('.json') ? basename(file, '.json') : []));
  const lists = options.check && !options.list ? names : [options.list ?? 'contracts'];
  const problems = lists.flatMap((name) => problemsOf(name, readList(name)));
  if (problems.length > 0) {
    throw new CommandFailed(
      `${problems.join('\n')}\nMake these mutants, in tools/mutants/<list>.json, fit the code again.`,
    );
  }
  if (options.check) return 0;
  if (options.write && (options.only || options.quick)) throw new CommandFailed('Figures of a part are not written.');
  const workers = Number(options.workers);
  if (!(Number.isInteger(workers) && workers > 0)) throw new CommandFailed('--workers takes a number from 1 on.');

  const list = readList(lists[0]);
  if (options.quick) for (const name of Object.keys(list.checks)) list.checks[name].splice(1);
  const mutants = selected(list.mutants, options.only);
  await tryAll(list, mutants, workers);
  const { killed, timedOut, alive, equivalent, equivalentKilled, notRun } = figuresOf(mutants);
  say(`${killed} killed (${timedOut} of them by time), ${alive} alive, ${equivalent} equivalent`);
  if (equivalentKilled > 0) say(`${equivalentKilled} marked as equivalent, but killed`);
  if (notRun > 0) say(`${notRun} without a result: they do not compile, or a command ended without a failed test`);
  if (options.write && list.result) write(list);
  return alive + equivalentKilled + notRun > 0 ? 1 : 0;
});
