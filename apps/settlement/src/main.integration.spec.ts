import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Anvil, lies, lyingProxy } from '@paymaster/chain/testing';
import { Commands, freePort, startNats, type Nats } from '@paymaster/devnet';
import { ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { SponsorshipConsumer, type SponsorshipEvent } from '@paymaster/messaging';
import { CHAIN_ID, SettlementWorld, type BooksUnderTest } from './testing/settlement-world';
import { startSettlement, type SettlementProcess } from './testing/settlement-process';

const FINALITY_DEPTH = 4;
const OTHER_CHAIN_ID = 31338;
const LEADS = `settlement_leader{chain="${CHAIN_ID}"}`;

const commands = new Commands(__dirname);
let world: SettlementWorld;
let books: BooksUnderTest;
let natsDir: string;
let nats: Nats;
let natsPort: number;
const processes: SettlementProcess[] = [];
const closers: Array<() => Promise<unknown>> = [];

beforeAll(async () => {
  world = await SettlementWorld.start();
  await world.chain.mine(FINALITY_DEPTH);
});
afterAll(() => Promise.all([commands.stop(), world.stop()]));
beforeEach(async () => {
  books = await world.books(FINALITY_DEPTH);
  natsDir = mkdtempSync(join(tmpdir(), 'paymaster-nats-'));
  natsPort = await freePort();
});
afterEach(async () => {
  for (const each of processes.splice(0)) await each.end();
  for (const close of closers.splice(0)) await close();
  await nats?.stop();
  await books.drop();
  rmSync(natsDir, { recursive: true, force: true });
});

const startNatsOnly = async () => (nats = await startNats({ dataDir: natsDir, port: natsPort }));
const STREAM_MAX_BYTES = String(64 * 2 ** 20);

const makeStream = () => commands.run('stream.cli.ts', [], { STREAM_MAX_BYTES, NATS_URL: nats.url });

async function beginNats(): Promise<void> {
  await startNatsOnly();
  expect(await makeStream()).toMatchObject({ code: 0 });
}

async function settlement(env: Record<string, string> = {}): Promise<SettlementProcess> {
  const started = await startSettlement({
    DATABASE_URL: books.database.url,
    NATS_URL: `nats://127.0.0.1:${natsPort}`,
    CHAINS_FILE: world.writeChainsFile({ finalityDepth: FINALITY_DEPTH }),
    // A long lease, so that no process loses it because the machine stood still.
    LEASE_TTL_SECONDS: '300',
    STREAM_MAX_BYTES,
    ...env,
  });
  processes.push(started);
  return started;
}

const leads = async (each: SettlementProcess) => (await each.metric(LEADS)) === 1;
const stateOf = async (id: string) => (await books.reservation(id)).state;

async function landAndSettle(): Promise<string> {
  const operation = await books.granted();
  await books.land(operation);
  await books.makeFinal();
  await until(async () => (await stateOf(operation.reservationId)) === 'settled');
  return operation.reservationId;
}

describe('two processes', () => {
  it('are leader and standby; a killed leader is followed from where it was, and one that is asked to end long before its lease ends', async () => {
    await beginNats();
    const leader = await settlement();
    await until(() => leads(leader));
    const standby = await settlement();
    await until(() => standby.ready());
    expect(await leads(standby)).toBe(false);
    await landAndSettle();

    const killed = await books.granted();
    await leader.end('SIGKILL');
    await books.land(killed);
    await books.makeFinal();
    await books.expireLeases();
    await until(async () => (await stateOf(killed.reservationId)) === 'settled');
    await until(() => leads(standby));
    expect(await books.eventsOf(killed.reservationId)).toEqual(['granted', 'landed', 'settled']);
    expect(await books.differences()).toEqual([]);

    const third = await settlement();
    await standby.end('SIGTERM');
    await until(() => leads(third));
  });

  it('a leader that was paused for longer than its lease comes back as standby and settles nothing twice', async () => {
    await beginNats();
    const paused = await settlement({ LEASE_TTL_SECONDS: '2' });
    await until(() => leads(paused));
    paused.signal('SIGSTOP');
    const other = await settlement();
    const id = await landAndSettle();
    await until(() => leads(other));
    paused.signal('SIGCONT');
    await until(async () => (await paused.metric(LEADS)) === 0);
    await landAndSettle();
    expect(await books.eventsOf(id)).toEqual(['granted', 'landed', 'settled']);
    expect(await books.differences()).toEqual([]);
    await until(async () => (await paused.health()).checks['chains']?.detail === `${CHAIN_ID}: standby`);
    expect((await paused.health()).checks['chains']).toMatchObject({ status: 'up' });
  });
});

describe('one process', () => {
  it('settles while NATS is away, publishes when it is back, and fills the stream again when its data was deleted', async () => {
    const service = await settlement();
    await until(() => leads(service));
    const id = await landAndSettle();
    await until(() => service.ready());
    expect((await service.health()).checks['nats']).toMatchObject({ status: 'down' });
    await until(async () => ((await service.metric('settlement_outbox_unpublished')) ?? 0) >= 3);
    await startNatsOnly();
    await until(async () => /there is no stream/.test((await service.health()).checks['nats']?.detail ?? ''));
    await until(() => service.log.some((line) => line.includes('there is no stream SPONSORSHIP')));
    expect((await makeStream()).stdout).toBe('The stream SPONSORSHIP was made.\n');
    expect((await makeStream()).stdout).toBe('The stream SPONSORSHIP had to be changed in: nothing.\n');
    await until(async () => (await service.metric('settlement_outbox_unpublished')) === 0);
    expect((await service.health()).checks['nats']?.status).toBe('up');
    const seen = await readStream();
    const settledOf = (of: string) =>
      new Set(seen.flatMap((each) => (each.kind === 'settled' && each.reservationId === of ? [each.eventId] : [])));
    await until(() => settledOf(id).size === 1);
    expect(await service.metric('settlement_stream_rebuilds_total')).toBe(0);

    process.kill(nats.pid, 'SIGKILL');
    await nats.stop();
    rmSync(natsDir, { recursive: true, force: true });
    const second = await landAndSettle();
    await beginNats();
    await until(() => settledOf(second).size === 1);
    expect(await service.metric('settlement_stream_rebuilds_total')).toBe(1);
    const { rows } = await books.database.pool.query<{ event_id: string }>('SELECT event_id FROM ledger.outbox');
    const seenIds = () => new Set(seen.map(({ eventId }) => eventId));
    await until(() => seenIds().size >= rows.length);
    expect(seenIds()).toEqual(new Set(rows.map(({ event_id }) => event_id)));
    expect(settledOf(id).size).toBe(1);
  });

  it('follows one chain while another one cannot be read, and while it is halted', async () => {
    await beginNats();
    const anvil = await Anvil.start({ chainId: OTHER_CHAIN_ID });
    closers.push(() => anvil.stop());
    const proxy = await lyingProxy(anvil.url, lies.misbehaves('reset'));
    closers.push(() => proxy.stop());
    const rpc = (method: string, ...params: unknown[]) =>
      fetch(anvil.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      }).then(async (answer) => ((await answer.json()) as { result: unknown }).result);
    const other = { ...world.rawChain({ finalityDepth: 2, rpcUrls: [proxy.url] }), chainId: OTHER_CHAIN_ID };
    const service = await settlement({
      CHAINS_FILE: world.writeChainsFile({ finalityDepth: FINALITY_DEPTH, others: [other] }),
    });
    await until(() => service.ready());
    await landAndSettle();
    await until(async () => (await service.health()).status === 'degraded');

    proxy.beHonest();
    const [otherHead, otherFinal] = ['head', 'final'].map((of) => `settlement_${of}_block{chain="${OTHER_CHAIN_ID}"}`);
    await rpc('anvil_mine', '0x5');
    const to = await rpc('evm_snapshot');
    await rpc('anvil_mine', '0x5');
    await until(async () => (await service.metric(otherHead!)) === 10 && (await service.metric(otherFinal!)) === 8);
    await rpc('evm_revert', to);
    await rpc('evm_increaseTime', 5);
    await rpc('anvil_mine', '0x9');
    await until(async () => (await service.metric(`settlement_halted{chain="${OTHER_CHAIN_ID}"}`)) === 1);
    await until(() => service.log.some((line) => line.includes('ALARM: the chain is halted')));
    await landAndSettle();
    await until(async () => (await service.health()).status === 'degraded');
    const { checks } = await service.health();
    expect(checks['chains']?.detail).toMatch(/^chain 31338 is halted: the chain does not meet the books/);
    await until(() => service.ready());
  });

  it('tells what a failed batch approval locks once its block is final, and raises an alarm when books and chain differ', async () => {
    await beginNats();
    const service = await settlement({ RECONCILE_INTERVAL_SECONDS: '1' });
    const mismatches = `settlement_reconciliation_mismatches{chain="${CHAIN_ID}"}`;
    await until(() => leads(service));
    const locked = `settlement_unsettled_precharge_wei{chain="${CHAIN_ID}"}`;
    await until(async () => (await service.metric(locked)) === 0);
    const operation = await books.granted({ unpaid: true });
    await books.land(operation);
    await books.makeFinal();
    await until(async () => Number(await service.metric(locked)) > 0);
    const line = await until(() => service.log.find((each) => each.includes('lock money of a wallet')));
    const { wallet, recordedWei, returnedWei } = JSON.parse(line) as Record<string, string>;
    expect(wallet).toBe(operation.wallet);
    expect(await service.metric(locked)).toBe(Number(recordedWei));
    const { rows } = await books.database.pool.query<{ wei: string }>(
      'SELECT actual_gas_cost_wei AS wei FROM ledger.reservations WHERE id = $1',
      [operation.reservationId],
    );
    expect(BigInt(recordedWei!) - BigInt(returnedWei!)).toBe(BigInt(rows[0]!.wei));

    await until(async () => (await service.metric(mismatches)) === 0);
    await books.database.pool.query('UPDATE ledger.wallets SET balance_wei = balance_wei + 1 WHERE wallet = $1', [
      world.chain.world.wallet,
    ]);
    await until(async () => (await service.metric(mismatches)) === ENTRY_POINT_VERSIONS.length);
    await until(async () => ((await service.metric('settlement_books_findings')) ?? 0) > 0);
    await until(() => service.log.some((line) => line.includes('ALARM: books and chain differ')));
  });
});

/** Everything the stream delivers from now on, from its start. */
async function readStream(): Promise<SponsorshipEvent[]> {
  const seen: SponsorshipEvent[] = [];
  const consumer = new SponsorshipConsumer({
    nats: { natsUrl: `nats://127.0.0.1:${natsPort}` },
    durable: 'test',
    handle: async (event) => void seen.push(event),
    onPoison: async ({ body, problem }) => {
      throw new Error(`${problem}: ${body}`);
    },
  });
  consumer.start();
  closers.push(() => consumer.stop());
  return seen;
}
