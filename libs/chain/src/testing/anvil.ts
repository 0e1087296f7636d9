import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGED = join(process.cwd(), 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil');
/** It takes half a second; the rest is for a busy machine. */
const READY_WITHIN_MS = 90_000;

/**
 * More states than a test mines blocks; anvil forgets the oldest, and counts those of undone blocks too. By default it
 * would write older states to the disk and leave them there: gigabytes per run.
 */
const STATES_KEPT = 5_000;

/** A real local chain for integration tests, on a free port. */
export class Anvil {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly ended: Promise<void>,
  ) {}

  /**
   * Starts anvil; the binary comes from the npm package, else from PATH.
   *
   * A block is final when two blocks are on top of it.
   *
   * @param options `gasLimit` of a block, and of a call that names none; anvil's own by default. On `optimism` the sender
   *   of a transaction pays L1 data and operator fees too, by the storage of L1Block.
   */
  static async start(options: { chainId?: number; gasLimit?: bigint; network?: 'optimism' } = {}): Promise<Anvil> {
    // Port 0: anvil takes a free port and prints it, so no other process can take it first.
    const args = ['--port', '0', '--chain-id', String(options.chainId ?? 31337), '--slots-in-an-epoch', '1'];
    args.push('--prune-history', String(STATES_KEPT));
    if (options.gasLimit !== undefined) args.push('--gas-limit', String(options.gasLimit));
    if (options.network) args.push('--network', options.network);
    const child = spawn(existsSync(PACKAGED) ? PACKAGED : 'anvil', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    try {
      return new Anvil(await listeningAt(child), child, ended);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}

/** Reads anvil's output without end, because anvil stops when its output is not read. */
function listeningAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`anvil did not listen within ${READY_WITHIN_MS} ms`)),
      READY_WITHIN_MS,
    );
    const fail = (error: Error) => {
      clearTimeout(late);
      reject(error);
    };
    child.once('error', fail).once('exit', () => fail(new Error('anvil ended before it listened')));
    let printed = '';
    let isListening = false;
    child.stdout?.on('data', (chunk: Buffer) => {
      if (isListening) return;
      printed += chunk.toString();
      const [, address] = /Listening on (\S+)\n/.exec(printed) ?? [];
      if (!address) return;
      isListening = true;
      clearTimeout(late);
      resolve(`http://${address}`);
    });
  });
}
