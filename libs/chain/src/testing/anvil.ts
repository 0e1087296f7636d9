import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PACKAGED = join(process.cwd(), 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil');
const READY_WITHIN_MS = 20_000;

/** A real local chain for integration tests, on a free port. */
export class Anvil {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Starts one; the binary comes from the npm package, else from PATH.
   *
   * A block is final when it has two on top.
   *
   * @param options `gasLimit` of a block, and of a call that names none; anvil's own by default
   */
  static async start(options: { chainId?: number; gasLimit?: bigint } = {}): Promise<Anvil> {
    const port = await freePort();
    const args = ['--silent', '--port', String(port), '--chain-id', String(options.chainId ?? 31337)];
    args.push('--slots-in-an-epoch', '1');
    if (options.gasLimit !== undefined) args.push('--gas-limit', String(options.gasLimit));
    const child = spawn(existsSync(PACKAGED) ? PACKAGED : 'anvil', args, { stdio: 'ignore' });
    const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
    const anvil = new Anvil(`http://127.0.0.1:${port}`, child);
    await Promise.race([anvil.untilReady(), failed]);
    return anvil;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }

  private async untilReady(): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const deadline = Date.now() + READY_WITHIN_MS;
    while (Date.now() < deadline) {
      const ready = await fetch(this.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then((response) => response.ok)
        .catch(() => false);
      if (ready) return;
      await sleep(50);
    }
    throw new Error(`anvil did not answer within ${READY_WITHIN_MS} ms`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
