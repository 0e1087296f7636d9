import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@paymaster/domain/testing';

const COMMAND = ['-r', './devnet/load-typescript.cjs', join(__dirname, 'main.ts'), '--port-base', '0'];
const NOWHERE = { ...process.env, CHAIN_RPC_URL: 'http://127.0.0.1:1' };

let dataDir: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'paymaster-main-'));
});

afterEach(async () => {
  child?.kill('SIGKILL');
  await until(() => serversLeft().length === 0);
  const location = spawnSync('cat', [join(dataDir, 'postgres', 'location')], { encoding: 'utf8' }).stdout;
  if (location) rmSync(location, { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
});

function startWorld() {
  const world = spawn(process.execPath, [...COMMAND, '--data-dir', dataDir], { env: NOWHERE, stdio: 'pipe' });
  child = world;
  return world;
}

/** Command lines of running processes that work in the folder of this world. */
function serversLeft(): string[] {
  const commands = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout.split('\n');
  const location = spawnSync('cat', [join(dataDir, 'postgres', 'location')], { encoding: 'utf8' }).stdout;
  return commands.filter((line) => line.includes(dataDir) || (location !== '' && line.includes(location)));
}

it('a start that fails says why, exits with 1 and leaves no server behind', async () => {
  const world = startWorld();
  let errors = '';
  world.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(world, 'close')) as [number];
  expect(code).toBe(1);
  expect(errors).toContain('http://127.0.0.1:1');
  expect(readFileSync(join(dataDir, 'logs', 'postgres.log'), 'utf8')).toContain('ready to accept connections');
  await until(() => serversLeft().length === 0);
});

it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('%s during the start leaves no server behind', async (signal) => {
  const world = startWorld();
  const closed = once(world, 'close');
  for await (const line of createInterface({ input: world.stdout })) if (line.startsWith('Postgres')) break;
  world.kill(signal);
  await closed;
  await until(() => serversLeft().length === 0);
});

it('refuses to start a second world in the same folder', async () => {
  writeFileSync(join(dataDir, 'stack.pid'), String(process.pid));
  const second = spawnSync(process.execPath, [...COMMAND, '--data-dir', dataDir], { encoding: 'utf8', env: NOWHERE });
  expect(second.status).toBe(1);
  expect(second.stderr).toContain(`already runs from ${dataDir} (process ${process.pid})`);
});
