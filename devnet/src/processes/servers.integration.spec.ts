import { createServer, type Server } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@paymaster/domain/testing';
import { connect } from 'nats';
import { Client } from 'pg';
import { startAnvil } from './anvil';
import { onFreePort } from './free-port';
import { startNats } from './nats';
import { startPostgres } from './postgres';
import { startProcess, stopAllProcesses } from './process-registry';

let folder: string;
let blocker: Server | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-devnet-spec-'));
});

afterEach(async () => {
  await stopAllProcesses();
  blocker?.close();
});

afterAll(() => {
  const location = join(folder, 'postgres', 'location');
  if (existsSync(location)) rmSync(readFileSync(location, 'utf8'), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function rpc(url: string, method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}

/** A port that somebody listens on, until the test ends. */
async function occupiedPort(port = 0): Promise<number> {
  const server = (blocker = createServer());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

describe('startPostgres', () => {
  it('keeps its data over a stop and a start', async () => {
    const dataDir = join(folder, 'postgres');
    const first = await startPostgres({ dataDir });
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    await expect(query(first.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');

    const second = await startPostgres({ dataDir });
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    await second.stop();
  });

  it('refuses a connection without the password', async () => {
    const postgres = await startPostgres();
    await expect(query(postgres.url.replace(/:[0-9a-f]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(/password/);
    await postgres.stop();
  });

  it('takes another port when the wanted one is busy', async () => {
    const port = await occupiedPort();
    const postgres = await startPostgres({ port });
    expect(postgres.port).not.toBe(port);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  });
});

describe('onFreePort', () => {
  it('tries another port when somebody takes the first one before the server does', async () => {
    const tried: number[] = [];
    await onFreePort(undefined, async (port) => {
      tried.push(port);
      if (tried.length === 1) await occupiedPort(port);
      const script = `require('node:http').createServer().listen(${port}, '127.0.0.1', () => console.log('ready'))`;
      const ready = { line: (line: string) => line === 'ready' };
      return startProcess({ name: 'server', command: process.execPath, args: ['-e', script], ready });
    });
    expect(tried).toHaveLength(2);
    expect(tried[1]).not.toBe(tried[0]);
  });

  it('reports any other failure at once', async () => {
    let starts = 0;
    const start = onFreePort(undefined, async () => Promise.reject(new Error(`start ${++starts} failed`)));
    await expect(start).rejects.toThrow('start 1 failed');
    expect(starts).toBe(1);
  });
});

describe('startNats', () => {
  it('serves JetStream and can be stopped and started on the same port', async () => {
    const dataDir = join(folder, 'nats');
    const first = await startNats({ dataDir });
    const connection = await connect({ servers: [first.url] });
    await (await connection.jetstreamManager({ timeout: 30_000 })).streams.add({ name: 'KEPT', subjects: ['kept.>'] });
    await connection.close();
    await first.stop();
    await expect(connect({ servers: [first.url], timeout: 500, reconnect: false })).rejects.toThrow();

    const second = await startNats({ dataDir, port: first.port });
    expect(second.url).toBe(first.url);
    const again = await connect({ servers: [second.url] });
    const { streams } = await again.jetstreamManager({ timeout: 30_000 });
    expect((await streams.info('KEPT')).config.subjects).toEqual(['kept.>']);
    await again.close();
    await second.stop();
  });
});

describe('startAnvil', () => {
  it('has a head no older than its block time and finalizes two blocks behind', async () => {
    const { url } = await startAnvil();
    const block = (tag: string) => rpc(url, 'eth_getBlockByNumber', [tag, false]) as Promise<Record<string, string>>;
    const isYoung = (timestamp?: string) => Math.abs(Date.now() / 1000 - Number(timestamp)) <= 2;
    await until(async () => {
      const { number, timestamp } = await block('latest');
      return Number(number) > 3 && isYoung(timestamp);
    });
    // Where a block came while both were asked for, once more.
    const behind = await until(async () => {
      const [before, final, after] = [await block('latest'), await block('finalized'), await block('latest')];
      return before['number'] === after['number'] && Number(before['number']) - Number(final['number']);
    });
    expect(behind).toBe(2);
  });

  it('remembers its chain in the state file', async () => {
    const stateFile = join(folder, 'anvil', 'state.json');
    const holder = '0x00000000000000000000000000000000000000aa';
    const first = await startAnvil({ stateFile });
    await rpc(first.url, 'anvil_setBalance', [holder, '0x2a']);
    // It answers a little before it listens to the signal that makes it write.
    await until(async () => (await rpc(first.url, 'eth_blockNumber', [])) !== '0x0');
    await first.stop();
    expect(existsSync(stateFile)).toBe(true);

    const second = await startAnvil({ stateFile });
    expect(await rpc(second.url, 'eth_getBalance', [holder, 'latest'])).toBe('0x2a');
    await second.stop();
  });
});
