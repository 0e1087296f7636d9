import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWhenOverdue } from './overdue.mjs';

/** The workspace's root folder. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Nx without a daemon, a cloud or a full-screen interface. */
export const QUIET_NX = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false' };

/** TypeScript run directly, with the path aliases of tsconfig.base.json. */
export const TYPESCRIPT = ['-r', join(ROOT, 'devnet/load-typescript.cjs')];

/** A command ended badly; the message is all a person needs. */
export class CommandFailed extends Error {}

/** The niceness of a command that only takes what others leave of the processor. */
const GENTLE = 19;

/** What a command that was ended from here says of its end, as a shell would. */
const CUT_OFF = 130;

/**
 * Runs a command in the workspace and waits for it. Signals this process gets are handed on, and the command's end is
 * awaited, so that nothing stays behind.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{
 *   env?: Record<string, string>, cwd?: string, capture?: boolean, show?: boolean, tied?: boolean, gentle?: boolean,
 *   overdue?: () => string | undefined
 * }} [options]
 *   `capture` returns the output instead of showing it (with `show` it does both); `tied` gives the child a channel
 *   that closes when we end; `gentle` gives the processor to others first; `overdue` is asked every second, and when
 *   it answers with a reason, the command and everything it started are ended by force
 * @returns {Promise<{ code: number, output: string, overdue?: string }>} `overdue` is the reason, if it came to that
 */
export function run(command, args, options = {}) {
  const { env = {}, cwd = ROOT, capture = false, show = !capture, tied = false, gentle = false, overdue } = options;
  return new Promise((resolve, reject) => {
    const out = capture ? 'pipe' : 'inherit';
    const [program, ...given] = gentle ? ['nice', '-n', String(GENTLE), command, ...args] : [command, ...args];
    let child;
    // Before the command starts: a signal that nobody listens for ends this process and leaves the command running.
    const stopHandingOn = handOnSignals(() => child, { ownGroup: gentle });
    child = spawn(program, given, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', out, out, ...(tied ? ['ipc'] : [])],
      detached: gentle,
    });
    if (gentle && child.pid !== undefined) giveSessionWay(child.pid);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (show) process.stdout.write(text);
      });
    const watch = overdue && endWhenOverdue(child, overdue);
    const stopWatching = () => {
      stopHandingOn();
      watch?.stop();
    };
    child.once('error', (error) => {
      stopWatching();
      reject(new CommandFailed(`${command} cannot be started: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      stopWatching();
      if (!watch?.ending) resolve({ code: code ?? (signal ? CUT_OFF : 1), output });
    });
    // Not when it closes: what was handed to init may hold its output open for ever.
    watch?.ended.then((reason) => {
      stopWatching();
      resolve({ code: CUT_OFF, output, overdue: reason });
    });
  });
}

/**
 * Has a whole session give way to all others. Linux shares the processor among sessions first; niceness counts only within
 * a session, and the servers of tests have sessions of their own.
 */
function giveSessionWay(leader) {
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(GENTLE));
  } catch {
    // This system does not group sessions; then niceness counts among all processes.
  }
}

/** The same, but a bad end is an error that shows what was captured. */
export async function mustRun(what, command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new CommandFailed(`${output}${what} failed (exit code ${code}).`);
  return output;
}

/** The Node that ships: package.json says which, and the bases of the images are held to it. */
export const SHIPPED_NODE = readJson('package.json').engines.node;

/** npm's package of it; npm has one for Linux. */
export const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

/** Whether npm has installed it here. */
export function isNodeInstalled() {
  const file = `node_modules/${NODE_PACKAGE}/package.json`;
  return existsSync(join(ROOT, file)) && readJson(file).version === SHIPPED_NODE;
}

/**
 * Lets the shipped Node do the rest, if npm has installed it: another Node runs its own command again with the shipped
 * one, and ends as that ends. What is started by its name (`npx`, the programs of packages) gets it too, from the PATH.
 */
export async function useShippedNode() {
  if (!isNodeInstalled()) return;
  const folder = join(ROOT, 'node_modules', NODE_PACKAGE, 'bin');
  process.env['PATH'] = [folder, process.env['PATH']].join(delimiter);
  if (process.versions.node === SHIPPED_NODE) return;
  const again = [...process.execArgv, ...process.argv.slice(1)];
  const { code } = await run(join(folder, 'node'), again, { cwd: process.cwd() });
  process.exit(code);
}

function readJson(file) {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

/** What Node has compiled, for all processes that a tool starts: tests start some hundred of the same files. */
const COMPILED = join(ROOT, 'node_modules/.cache/node');

/** Runs a tool's main function with the shipped Node: errors become one message and exit code 1. */
export function main(action) {
  process.env['NODE_COMPILE_CACHE'] ??= COMPILED;
  const work = useShippedNode().then(action);
  work.then(
    (code) => process.exit(code ?? 0),
    (error) => {
      process.stderr.write(`${error instanceof CommandFailed ? error.message : (error?.stack ?? error)}\n`);
      process.exit(1);
    },
  );
}

const HANDED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'];
let ending = false;

/** Whether somebody has ended this process: what runs is being ended, and nothing else may be begun. */
export const isEnding = () => ending;

/**
 * A terminal sends Ctrl-C to our whole group, so SIGINT is handed on only to a command with a group of its own, whose
 * children get each signal too. When npm, which started us, is killed the hard way, nobody is there to tell us: then the
 * command is ended too.
 *
 * @param childOf returns the command; called when a signal comes, and Node hands on none until `spawn` has returned
 */
function handOnSignals(childOf, { ownGroup }) {
  const handOn = (signal) => {
    ending = true;
    if (ownGroup) killGroup(childOf().pid, signal);
    else if (signal !== 'SIGINT') childOf().kill(signal);
  };
  for (const signal of HANDED_ON) process.on(signal, handOn);
  const starters = process.env['npm_lifecycle_event'] ? npmAbove() : [];
  const watch = setInterval(() => {
    if (!starters.every(isAlive)) handOn('SIGTERM');
  }, 500);
  return () => {
    clearInterval(watch);
    for (const signal of HANDED_ON) process.off(signal, handOn);
  };
}

function killGroup(leader, signal) {
  try {
    process.kill(-leader, signal);
  } catch {
    // All of it has ended.
  }
}

/** npm, and the shell it may have put between itself and us. */
function npmAbove() {
  const ask = (field, pid) =>
    spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  const parent = process.ppid;
  const isShell = /(^|\/)(ba|da|z|k)?sh\s*$/.test(ask('comm', parent));
  const above = isShell ? Number(ask('ppid', parent)) : 0;
  return above > 1 ? [parent, above] : [parent];
}

/** Whether a process with that number runs, and is ours. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
