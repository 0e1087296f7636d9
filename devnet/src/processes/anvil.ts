import { mkdirSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { findOnPath, isExecutable, packageFolder } from './find-binary';
import { onFreePort } from './free-port';
import { startProcess, type LogLine, type RunningProcess } from './process-registry';

export interface AnvilOptions {
  /** File the chain is loaded from and saved to; without it the chain lives in memory. */
  readonly stateFile?: string;
  /** File the chain is loaded from and that stays as it is. */
  readonly initialStateFile?: string;
  /** Wanted port; another one is taken when it is busy. */
  readonly port?: number;
  /** The address to listen on; loopback when absent. */
  readonly host?: string;
  readonly chainId?: number;
  /** Seconds between blocks; 0 mines only when a transaction comes. Default: 1. */
  readonly blockTimeSeconds?: number;
  /** Of a block; anvil's own 30 million by default. */
  readonly blockGasLimit?: number;
  readonly log?: LogLine;
}

export interface Anvil extends RunningProcess {
  readonly url: string;
  readonly chainId: number;
}

export const LOCAL_CHAIN_ID = 31337;

/**
 * A local chain: one block a second, so that the head's time is now, and `finalized` two blocks behind the head
 * (anvil's own defaults leave `finalized` at 0 and let the head grow old).
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const binary = anvilBinary();
  const { stateFile, initialStateFile, host = '127.0.0.1', chainId = LOCAL_CHAIN_ID, blockTimeSeconds = 1 } = options;
  if (stateFile) mkdirSync(dirname(stateFile), { recursive: true });
  return onFreePort(options.port, async (port) => {
    const child = await startProcess({
      name: 'anvil',
      command: binary,
      args: [
        ...['--host', host, '--port', String(port), '--chain-id', String(chainId)],
        ...(blockTimeSeconds > 0 ? ['--block-time', String(blockTimeSeconds)] : []),
        ...['--slots-in-an-epoch', '1'],
        // Older states it would write to the home folder and leave there: a gigabyte for each world.
        ...['--prune-history', '500'],
        ...(options.blockGasLimit ? ['--gas-limit', String(options.blockGasLimit)] : []),
        ...(initialStateFile ? ['--load-state', initialStateFile] : []),
        // Saved now and then too, so that a killed world does not forget its chain.
        ...(stateFile ? ['--state', stateFile, '--state-interval', '10'] : []),
      ],
      ready: { line: (line) => line.startsWith('Listening on') },
      // SIGINT is what makes anvil write its state.
      stopSignal: 'SIGINT',
      log: options.log,
    });
    return { ...child, url: `http://127.0.0.1:${port}`, chainId };
  });
}

/** @throws when there is no anvil for this machine, saying what to do */
export function anvilBinary(): string {
  const folder = packageFolder(`@foundry-rs/anvil-${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`);
  const found = [folder && join(folder, 'bin', 'anvil')].find((path) => path && isExecutable(path));
  const binary = found ?? findOnPath('anvil');
  if (binary) return binary;
  throw new Error(
    'anvil was not found: install Foundry (https://getfoundry.sh) so that `anvil` is on PATH, or set CHAIN_RPC_URL.',
  );
}
