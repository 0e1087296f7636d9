#!/usr/bin/env node
/** Makes a fresh clone able to run: npm packages of every folder with its own lock, Node among them, and nats-server. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readArguments } from './lib/arguments.mjs';
import { notDoneWithin } from './lib/overdue.mjs';
import {
  CommandFailed,
  isNodeInstalled,
  main,
  mustRun,
  NODE_PACKAGE,
  ROOT,
  run,
  SHIPPED_NODE,
  TYPESCRIPT,
  useShippedNode,
} from './lib/run.mjs';
import { say } from './lib/steps.mjs';

const HELP = `Usage: node tools/bootstrap.mjs

Installs what is missing: npm packages (again when a lock changed), with the Node that ships, and nats-server. Every
command does this by itself, and goes on with that Node. Where npm has no Node (all but Linux) or no Foundry (all but
linux-x64) for the platform, it says how to install it.
`;

/** Folders with a lock of their own, and what they hold. */
const FOLDERS = [
  ['.', `the workspace and Node ${SHIPPED_NODE}`],
  ['devnet/bundler', 'the bundler of the local world'],
  ['apps/paymaster-rpc-e2e/clients', 'the SDK clients of the end-to-end tests'],
];

/** What npm says when it was the way to the registry, which may be there again in a moment. */
const HICCUP =
  /ECONNRESET|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EPIPE|ERR_SOCKET|EIDLETIMEOUT|ERR_STREAM_PREMATURE|EINTEGRITY|network|\berror (429|5\d\d)\b/i;
const TRIES = 4;
const TRY_AGAIN_AFTER_MS = 10_000;
/** The longest one try may take; seconds. */
const TRY_WITHIN = 10 * 60;

/**
 * @param {{ servers?: boolean }} [options] `servers: false` leaves nats-server out (lint and build need none)
 */
export async function bootstrap({ servers = true } = {}) {
  await installPackages();
  await useShippedNode();
  if (process.versions.node !== SHIPPED_NODE) {
    throw new CommandFailed(
      `Node ${SHIPPED_NODE} is missing: this is ${process.versions.node}, and npm, which has that version for Linux only, did ` +
        `not install ${NODE_PACKAGE}. Put it first on the PATH (https://nodejs.org/dist/v${SHIPPED_NODE}/), or on Linux ` +
        "run this again when npm's registry answers.",
    );
  }
  if (servers) findFoundry();
  if (servers && !process.env['NATS_URL']) {
    await mustRun('nats-server', process.execPath, [...TYPESCRIPT, 'devnet/src/prepare-machine.ts']);
  }
}

/**
 * The local chain and the contracts' tests run Foundry's binaries. npm has them for linux-x64 only; on other platforms they
 * are on the PATH, or where Foundry's own installer puts them, which is then added to the PATH of what is started here.
 */
function findFoundry() {
  const packaged = `node_modules/@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  if (existsSync(join(ROOT, packaged))) return;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), join(homedir(), '.foundry/bin')];
  process.env['PATH'] = folders.join(delimiter);
  const missing = ['anvil', 'forge'].filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  if (missing.length === 0) return;
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const version = optionalDependencies['@foundry-rs/anvil-linux-amd64'];
  throw new CommandFailed(
    `${missing.join(' and ')} of Foundry ${version} come with npm on linux-x64 only. This command installs them here:\n` +
      `  curl -L https://foundry.paradigm.xyz | bash && ~/.foundry/bin/foundryup --install ${version}`,
  );
}

/**
 * Runs `npm ci` in all folders at once, except where node_modules is what the lock gives; a stamp inside remembers.
 *
 * @throws {CommandFailed} when npm fails for another reason than the network, or too often
 */
async function installPackages() {
  const folders = FOLDERS.filter(([folder]) => mustInstall(folder));
  if (folders.length === 0) return;
  say(`Installing npm packages of ${folders.map(([, content]) => content).join(', ')} (one to three minutes) …`);
  const dots = setInterval(() => process.stdout.write('.'), 3_000);
  try {
    await Promise.all(folders.map(npmCi));
  } finally {
    clearInterval(dots);
    process.stdout.write('\n');
  }
  for (const [folder] of folders) writeFileSync(stampOf(folder), wantedStamp(folder));
}

const lockOf = (folder) => join(ROOT, folder, 'package-lock.json');
const stampOf = (folder) => join(ROOT, folder, 'node_modules/.lock-stamp');
const wantedStamp = (folder) =>
  createHash('sha256')
    .update(readFileSync(lockOf(folder)))
    .digest('hex');

function mustInstall(folder) {
  if (!existsSync(lockOf(folder))) return false;
  if (folder === '.' && lacksNode()) return true;
  const [modules, stamp] = [join(ROOT, folder, 'node_modules'), stampOf(folder)];
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') !== wantedStamp(folder);
  if (!existsSync(modules) || !matchesHiddenLock(lockOf(folder), modules)) return true;
  writeFileSync(stamp, wantedStamp(folder));
  return false;
}

/** npm goes on without an optional package that it could not load: then it must try again. */
function lacksNode() {
  if (process.versions.node === SHIPPED_NODE || isNodeInstalled()) return false;
  return `node_modules/${NODE_PACKAGE}` in JSON.parse(readFileSync(lockOf('.'), 'utf8')).packages;
}

/** Once more when the registry could not be reached or stopped in the middle; any other failure is final. */
async function npmCi([folder, content]) {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=5'];
  for (let tried = 1; ; tried++) {
    const options = { cwd: join(ROOT, folder), capture: true, overdue: notDoneWithin(TRY_WITHIN) };
    const { code, output, overdue } = await run('npm', args, options);
    if (code === 0) return;
    const mayPass = overdue !== undefined || HICCUP.test(output);
    if (!mayPass || tried === TRIES)
      throw new CommandFailed(
        `${output}npm ci in ${folder} failed (${overdue ?? `exit code ${code}`}): the packages of ${content} are missing.`,
      );
    say(`\n${output}npm ci in ${folder}: the registry could not be reached, trying again …`);
    await sleep(TRY_AGAIN_AFTER_MS * tried);
  }
}

/** Somebody ran npm by hand: its own record tells whether every package is there in the locked version. */
function matchesHiddenLock(lockFile, modules) {
  const hidden = join(modules, '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  return Object.entries(JSON.parse(readFileSync(lockFile, 'utf8')).packages).every(
    ([path, { version, optional }]) => !path || installed[path]?.version === version || (optional && !installed[path]),
  );
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  readArguments(HELP);
  main(() => bootstrap());
}
