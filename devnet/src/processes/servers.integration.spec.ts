import { createServer, type Server } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'nats';
import { Client } from 'pg';
import { startAnvil } from './anvil';
import { freePort } from './free-port';
import { startNats } from './nats';
import { startPostgres } from './postgres';
import { stopAllProcesses } from './process-registry';

jest.setTimeout(60_000);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-devnet-spec-'));
});

afterAll(async () => {
  await stopAllProcesses();
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

async function occupy(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
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
    const blocker = await occupy(await freePort());
    const { port } = blocker.address() as { port: number };
    const postgres = await startPostgres({ port });
    expect(postgres.port).not.toBe(port);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await postgres.stop();
    blocker.close();
  });
});

describe('startNats', () => {
  it('serves JetStream and can be stopped and started on the same port', async () => {
    const dataDir = join(folder, 'nats');
    const first = await startNats({ dataDir });
    const connection = await connect({ servers: [first.url] });
    await (await connection.jetstreamManager()).streams.add({ name: 'KEPT', subjects: ['kept.>'] });
    await connection.close();
    await first.stop();
    await expect(connect({ servers: [first.url], timeout: 500, reconnect: false })).rejects.toThrow();

    const second = await startNats({ dataDir, port: first.port });
    expect(second.url).toBe(first.url);
    const again = await connect({ servers: [second.url] });
    expect((await (await again.jetstreamManager()).streams.info('KEPT')).config.subjects).toEqual(['kept.>']);
    await again.close();
    await second.stop();
  });
});

describe('startAnvil', () => {
  it('has a head no older than its block time and finalizes two blocks behind', async () => {
    const anvil = await startAnvil();
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    // The finalized block is asked for first: a block may come between the two answers.
    const final = (await rpc(anvil.url, 'eth_getBlockByNumber', ['finalized', false])) as Record<string, string>;
    const head = (await rpc(anvil.url, 'eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
    expect(Math.abs(Date.now() / 1000 - Number(head['timestamp']))).toBeLessThanOrEqual(3);
    expect([2, 3]).toContain(Number(head['number']) - Number(final['number']));
    await anvil.stop();
  });

  it('remembers its chain in the state file', async () => {
    const stateFile = join(folder, 'anvil', 'state.json');
    const holder = '0x00000000000000000000000000000000000000aa';
    const first = await startAnvil({ stateFile });
    await rpc(first.url, 'anvil_setBalance', [holder, '0x2a']);
    // It answers a little before it listens to the signal that makes it write.
    while ((await rpc(first.url, 'eth_blockNumber', [])) === '0x0') await sleep(50);
    await first.stop();
    expect(existsSync(stateFile)).toBe(true);

    const second = await startAnvil({ stateFile });
    expect(await rpc(second.url, 'eth_getBalance', [holder, 'latest'])).toBe('0x2a');
    await second.stop();
  });
});
