import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWhenOverdue, notDoneWithin } from './overdue.mjs';
import { CommandFailed, ROOT, TYPESCRIPT } from './run.mjs';

/** The chain in that world, whose bounds are the default ones. */
const CHAIN_OPTIONS = {
  // As an operator does on a chain that has other code at the addresses of known factories: here stand-ins are there
  // (apps/paymaster-rpc-e2e/src/clients/StandIn.sol).
  knownAccounts: {
    codeHashes: [
      '0xc109c2acc78a047867f0feefd462058f4616893d8d0a149d34cf1b2b58487832', // thirdweb, EntryPoint v0.6
      '0x8e1fa8fd291946888f3af38d6cab1ab16fe2933efa52707dea234e0d32171e53', // thirdweb, EntryPoint v0.7
      '0x2bb811d5ddbf5139ab9590ca2a2a60191b521c0e8574845fd018927a21aca639', // LightAccount 1.1.0
      '0xf9c2a10aea37ddb6a809f540c9e3212453222b2aa80aa3335b5b8c8533e51e0c', // Etherspot, of its own SDK
    ],
  },
};

/** A world that takes longer than that to come up or to end is ended by force; seconds. */
const UP_WITHIN = 15 * 60;
const END_WITHIN = 120;

/** What passes before a world is started again: a day, and more blocks than the chain's node keeps states of. */
const A_DAY_SECONDS = 86_400;
const BLOCKS = 600;

/**
 * Starts a local world in a temporary folder on free ports, waits for its demonstration, hands over its stack.json
 * and ends it, whatever happens. The logs stay when something failed.
 *
 * @template {{ passed: number, failed: number }} T
 * @param {(stackFile: string) => Promise<T>} use
 * @param {{ chainOptions?: object, again?: boolean }} [options] `chainOptions`: `{}` is a chain as it is by default;
 *   `again`: starts the world on its data once more, a day and some hundred blocks later, which counts as one test
 * @returns {Promise<T>}
 */
export async function withFreshStack(use, { chainOptions = CHAIN_OPTIONS, again = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-stack-'));
  const stackFile = join(folder, 'stack.json');
  let clean = false;
  try {
    const result = await whileUp(folder, chainOptions, async () => {
      const used = await use(stackFile);
      if (again) await letTimePass(JSON.parse(readFileSync(stackFile, 'utf8')).chainRpc);
      return used;
    });
    if (again) {
      await whileUp(folder, chainOptions, () => undefined);
      result.passed++;
    }
    clean = result.failed === 0;
    return result;
  } finally {
    if (clean) removeWorld(folder);
    else process.stdout.write(`The logs of that world are in ${join(folder, 'logs')}\n`);
  }
}

/** Starts the world of a folder, new or used, and ends it when `use` has ended. @returns what that returned */
async function whileUp(folder, chainOptions, use) {
  // The world ends by itself when the channel to us closes, however we end.
  const world = spawn(
    process.execPath,
    [...TYPESCRIPT, 'devnet/src/main.ts', '--data-dir', folder, '--port-base', '0'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // To the gateway all tests are one network, which may use a part of the wallet: it is a large one.
      env: { ...process.env, CHAIN_OPTIONS: JSON.stringify(chainOptions), FUNDING_ETH: '1000' },
    },
  );
  const ended = new Promise((resolve) => world.once('close', resolve));
  const ready = new Promise((resolve) => world.once('message', resolve));
  let overdue = notDoneWithin(UP_WITHIN);
  const watch = endWhenOverdue(world, () => overdue());
  try {
    const early = await Promise.race([ready.then(() => undefined), ended.then((code) => ({ code }))]);
    if (early) throw new CommandFailed(`The local world did not come up (exit code ${early.code}).`);
    overdue = () => undefined;
    return await use();
  } finally {
    overdue = notDoneWithin(END_WITHIN);
    world.kill('SIGTERM');
    await ended;
    watch.stop();
  }
}

async function letTimePass(chainRpc) {
  for (const [method, amount] of [
    ['evm_increaseTime', A_DAY_SECONDS],
    ['anvil_mine', BLOCKS],
  ]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [`0x${amount.toString(16)}`] });
    const answer = await fetch(chainRpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { error } = await answer.json();
    if (error) throw new CommandFailed(`${method}: ${error.message}`);
  }
}

function removeWorld(folder) {
  const note = join(folder, 'postgres', 'location');
  if (existsSync(note)) rmSync(readFileSync(note, 'utf8'), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}
