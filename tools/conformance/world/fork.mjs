import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rpc } from './clients.mjs';
import { NotTried } from './outcome.mjs';

const UP_WITHIN_MS = 60_000;
const BINARIES = join(dirname(fileURLToPath(import.meta.url)), '../../../node_modules/.bin');

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A signal alone would end this process without its `exit` event, and leave the copy running. */
const leave = () => process.exit(130);

/**
 * A copy of the chain that is the kit's own, made by anvil: there it may move the time, be another chain, and give an
 * account other code, without anybody noticing.
 *
 * @param {{ rpc: string, chainId: number }} of
 * @throws {NotTried} where there is no anvil, or the node lets nobody copy its chain
 */
export async function startFork({ rpc, chainId }) {
  const anvil = findAnvil();
  if (!anvil) throw new NotTried('install Foundry: `anvil` is not on the PATH');
  const port = await freePort();
  const args = [
    '--fork-url',
    rpc,
    '--chain-id',
    String(chainId),
    '--port',
    String(port),
    '--silent',
    '--no-rate-limit',
  ];
  const child = spawn(anvil, args, { stdio: 'ignore' });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  for (const signal of SIGNALS) process.once(signal, leave);
  const failed = new Promise((resolve) => child.once('error', resolve).once('close', resolve));
  const node = new Rpc(`http://127.0.0.1:${port}`);
  const up = answers(node);
  const isUp = await Promise.race([up, failed.then(() => false)]);
  if (!isUp) {
    end();
    throw new NotTried('give --rpc of a node whose chain anvil can fork');
  }
  const stop = () => {
    process.off('exit', end);
    for (const signal of SIGNALS) process.off(signal, leave);
    end();
    return failed;
  };
  return { node, stop };
}

async function answers(node) {
  for (const deadline = Date.now() + UP_WITHIN_MS; Date.now() < deadline;) {
    const id = await node.call('eth_blockNumber').catch(() => undefined);
    if (id) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

function findAnvil() {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), BINARIES];
  return folders
    .map((folder) => join(folder, 'anvil'))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
