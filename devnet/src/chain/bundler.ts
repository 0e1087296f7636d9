import { join } from 'node:path';
import { CANONICAL_ENTRY_POINTS, type Hex } from '@paymaster/domain';
import { DEV_KEYS } from './dev-keys';
import { isExecutable } from '../processes/find-binary';
import { onFreePort } from '../processes/free-port';
import { startProcess, type LogLine, type RunningProcess } from '../processes/process-registry';

export interface BundlerOptions {
  readonly chainRpc: string;
  /** All canonical EntryPoints when absent. */
  readonly entryPoints?: readonly string[];
  /** Wanted port; another one is taken when it is busy. */
  readonly port?: number;
  /** Keys that send its bundles: two bundlers of a chain must not share one. The world's own when absent. */
  readonly executors?: readonly Hex[];
  /** Listens on every address of the machine, as in a container; on loopback only when absent. */
  readonly onAllAddresses?: boolean;
  readonly log?: LogLine;
}

export interface Bundler extends RunningProcess {
  readonly url: string;
}

/** One sends a bundle at a time, and there are four EntryPoints. */
export const EXECUTORS = [DEV_KEYS.bundlerExecutor, DEV_KEYS.secondExecutor, DEV_KEYS.thirdExecutor];

const FOLDER = join(__dirname, '../../bundler');
/** Alto has no option for the address that it listens on. */
const ON_LOOPBACK = ['--require', join(FOLDER, 'listen-on-loopback.cjs')];

/** Alto, a real ERC-4337 bundler, run from its own folder with its own lock. */
export async function startBundler(options: BundlerOptions): Promise<Bundler> {
  const program = join(FOLDER, 'node_modules/@pimlico/alto/esm/cli/alto.js');
  if (!isExecutable(join(FOLDER, 'node_modules'))) {
    throw new Error('The bundler is not installed: run `npm ci --prefix devnet/bundler`, or set BUNDLER_URL.');
  }
  return onFreePort(options.port, async (port) => {
    const child = await startProcess({
      name: 'bundler',
      command: process.execPath,
      args: [...(options.onAllAddresses ? [] : ON_LOOPBACK), program, ...flags(options, port)],
      cwd: FOLDER,
      ready: { line: (line) => line.includes('Server listening at') },
      readyTimeoutMs: 300_000,
      log: options.log,
    });
    return { ...child, url: `http://127.0.0.1:${port}` };
  });
}

function flags(
  {
    chainRpc,
    entryPoints = Object.values(CANONICAL_ENTRY_POINTS),
    executors = EXECUTORS.map(({ privateKey }) => privateKey),
  }: BundlerOptions,
  port: number,
): string[] {
  const values: Record<string, string> = {
    entrypoints: entryPoints.join(','),
    // The last key deploys the bundler's own simulation contracts at its first start.
    'executor-private-keys': executors.join(','),
    'utility-private-key': DEV_KEYS.bundlerUtility.privateKey,
    'rpc-url': chainRpc,
    port: String(port),
    // Alto's rule checks need a tracer that anvil does not have; the contract tests check those rules instead.
    'safe-mode': 'false',
    'min-executor-balance': '0',
    'refilling-wallets': 'false',
    'utility-wallet-monitor': 'false',
    // Alto looks at its mempool so often also when it is empty.
    'min-bundle-interval': '50',
    'max-bundle-interval': '50',
    'log-level': 'info',
    json: 'true',
  };
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
}
