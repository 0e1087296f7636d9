import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWhenOverdue, notDoneWithin } from './overdue.mjs';
import { CommandFailed, ROOT, TYPESCRIPT } from './run.mjs';

/**
 * The chain in that world. Its bounds are wider than the default ones: its tests ask with limits and fees that are right
 * for what each of them is about. The default bounds have tests of their own, and hold in the world of `npm start`.
 */
const CHAIN_OPTIONS = {
  bounds: {
    feeFloorWei: '10000000000',
    tokenExposureCapWei: '5000000000000000000',
  },
  // As an operator does on a chain that has other code at the addresses of known factories: here stand-ins are there
  // (apps/paymaster-rpc-e2e/src/clients/StandIn.sol).
  knownAccounts: {
    codeHashes: [
      '0x325ee6ec2f3588e685aab5b94df12c3db4d0b0e9db4043aba277151ad0651af0', // thirdweb, EntryPoint v0.6
      '0xaccde6aa90e0cc3fbdb8be2f26354f7980231cfb09b537f3ecf5a5e95e183652', // thirdweb, EntryPoint v0.7
      '0x1153c90ebd12411aa5987bed3d6eb163cd9d720fe65532054254444bc0b1c586', // LightAccount 1.1.0
      '0x301dae1b76978ba5229298ed8df0f3d35d42e57d6360d93ad717b8b794455226', // Etherspot, of its own SDK
    ],
  },
};

/** A world that takes longer than that to come up or to end is ended by force; seconds. */
const UP_WITHIN = 15 * 60;
const END_WITHIN = 120;

/**
 * Starts a local world in a temporary folder on free ports, waits for its demonstration, hands over its stack.json
 * and ends it, whatever happens. The logs stay when something failed.
 *
 * @template {{ failed: number }} T
 * @param {(stackFile: string) => Promise<T>} use
 * @param {{ chainOptions?: object }} [options] `{}`: a chain as it is by default
 * @returns {Promise<T>}
 */
export async function withFreshStack(use, { chainOptions = CHAIN_OPTIONS } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-stack-'));
  // The world ends by itself when the channel to us closes, however we end.
  const world = spawn(
    process.execPath,
    [...TYPESCRIPT, 'devnet/src/main.ts', '--data-dir', folder, '--port-base', '0'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, CHAIN_OPTIONS: JSON.stringify(chainOptions) },
    },
  );
  const ended = new Promise((resolve) => world.once('close', resolve));
  const ready = new Promise((resolve) => world.once('message', resolve));
  let overdue = notDoneWithin(UP_WITHIN);
  const watch = endWhenOverdue(world, () => overdue());
  let clean = false;
  try {
    const early = await Promise.race([ready.then(() => undefined), ended.then((code) => ({ code }))]);
    if (early) throw new CommandFailed(`The local world did not come up (exit code ${early.code}).`);
    overdue = () => undefined;
    const result = await use(join(folder, 'stack.json'));
    clean = result.failed === 0;
    return result;
  } finally {
    overdue = notDoneWithin(END_WITHIN);
    world.kill('SIGTERM');
    await ended;
    watch.stop();
    if (clean) removeWorld(folder);
    else process.stdout.write(`The logs of that world are in ${join(folder, 'logs')}\n`);
  }
}

function removeWorld(folder) {
  const note = join(folder, 'postgres', 'location');
  if (existsSync(note)) rmSync(readFileSync(note, 'utf8'), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}
