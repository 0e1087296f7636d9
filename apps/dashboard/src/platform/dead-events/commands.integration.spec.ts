import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Commands, type Ended } from '@paymaster/devnet';
import { randomAddress } from '@paymaster/domain/testing';
import type { VoidedEvent } from '@paymaster/messaging';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster, paymasterIdOf, type Keys } from '../../testing/requests';
import { DeadEvent } from './dead-event';
import { DeadEventsRepository } from './dead-events.repository';

const commands = new Commands(join(__dirname, '../..'));
let dashboard: DashboardUnderTest;
let keys: Keys;
let paymasterId: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
  await query(
    `INSERT INTO dashboard.webhooks (id, paymaster_id, url, request_type, active, events)
     VALUES (gen_random_uuid(), $1, 'https://hooks.example.org/', 'POST', true, '{voided}')`,
    [paymasterId],
  );
});
beforeEach(() => query('TRUNCATE dashboard.dead_events, dashboard.webhook_deliveries, dashboard.usage_hours'));
afterAll(() => Promise.all([commands.stop(), dashboard.stop()]));

const query = <T>(text: string, values: unknown[] = []): Promise<T[]> => databaseOf(dashboard).query(text, values);
const run = (...args: string[]): Promise<Ended> =>
  commands.run('dead-events.cli.ts', args, { DATABASE_URL: dashboard.postgres.url });

const aVoidedEvent = (): VoidedEvent => ({
  ...{ kind: 'voided', eventId: randomUUID(), atMs: 1_770_000_000_000, chainId: 31_337, paymasterId },
  ...{ reservationId: String(1 + Math.floor(Math.random() * 1e9)), mode: 'sponsored', sender: randomAddress() },
  ...{ nonce: '1', entryPointVersion: '0.7', because: 'expired', releasedWei: '9' },
});

/** Gives an event up as a consumer would. @returns its id in the table */
async function giveUp(consumer: string, event: object): Promise<string> {
  const message = { eventId: null, subject: `sponsorship.voided.${paymasterId}`, body: JSON.stringify(event) };
  await new DeadEventsRepository(databaseOf(dashboard).getRepository(DeadEvent)).add(consumer, {
    ...message,
    deliveries: 5,
    problem: 'it\nfails',
  });
  const [row] = await query<{ id: string }>('SELECT max(id) AS id FROM dashboard.dead_events');
  return row!.id;
}
const left = async (): Promise<string[]> =>
  (await query<{ id: string }>('SELECT id FROM dashboard.dead_events ORDER BY id')).map(({ id }) => id);
const told = async () => [
  (await query<{ voided: string }>('SELECT voided FROM dashboard.usage_hours')).map(({ voided }) => Number(voided)),
  (await query('SELECT 1 FROM dashboard.webhook_deliveries')).length,
];

describe('dead-events retry', () => {
  it('hands each event to the consumer that gave it up, which counts it once, however often it is handed over', async () => {
    const event = aVoidedEvent();
    for (const times of ['once', 'twice']) {
      const operation = await giveUp('dashboard-operations', event);
      const message = await giveUp('dashboard-webhooks', event);
      expect(await run('retry', '--all')).toEqual({
        ...{ code: 0, stderr: '' },
        stdout: `${operation}  is handled\n${message}  is handled\n`,
      });
      expect({ times, left: await left(), told: await told() }).toEqual({ times, left: [], told: [[1], 1] });
    }
    const shown = await dashboard.call({ method: 'GET', path: '/operation', ...keys });
    expect(JSON.stringify(shown.body.data)).toContain(event.sender);
  });

  it('leaves what cannot be handled, says why, and goes on with the others', async () => {
    const noEvent = await giveUp('dashboard-operations', { kind: 'nonsense' });
    const nobodys = await giveUp('dashboard-before', aVoidedEvent());
    const good = await giveUp('dashboard-operations', aVoidedEvent());
    const { code, stdout, stderr } = await run('retry', '--all');
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${good}  is handled\n` });
    expect(stderr).toBe(
      `${noEvent}  is left: the sponsorship event has a wrong kind\n${nobodys}  is left: there is no consumer dashboard-before\n`,
    );
    expect(await left()).toEqual([noEvent, nobodys]);
  });

  it('takes the ones that are named, of any number', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 3; made++) ids.push(await giveUp('dashboard-operations', aVoidedEvent()));
    const [first, second, third] = ids as [string, string, string];
    const { code, stderr } = await run('retry', third, first, '999999999');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '999999999  is not there\n' });
    expect(await left()).toEqual([second]);
  });
});

describe('dead-events list', () => {
  it('shows what was given up, a line each, and changes nothing', async () => {
    const event = aVoidedEvent();
    const id = await giveUp('dashboard-webhooks', event);
    const { stdout } = await run('list');
    expect(stdout).toMatch(
      new RegExp(`^${id}  \\S+Z  dashboard-webhooks  sponsorship.voided.${paymasterId}  it fails\n$`),
    );
    const shown = JSON.parse((await run('list', '--json')).stdout) as { id: string; body: string };
    expect(shown).toMatchObject({ id, consumer: 'dashboard-webhooks', deliveries: 5, problem: 'it\nfails' });
    expect(JSON.parse(shown.body)).toEqual(event);
    expect(await left()).toEqual([id]);
  });
});

describe('dead-events discard', () => {
  it('takes out what is named, and tells nobody', async () => {
    const id = await giveUp('dashboard-operations', aVoidedEvent());
    const other = await giveUp('dashboard-operations', aVoidedEvent());
    expect(await run('discard', id)).toMatchObject({ code: 0, stdout: `${id}  is discarded\n` });
    expect({ left: await left(), told: await told() }).toEqual({ left: [other], told: [[], 0] });
    expect(await run('discard', '--all')).toMatchObject({ code: 0 });
    expect(await left()).toEqual([]);
  });
});

describe('dead-events', () => {
  it.each([
    ['nothing', [], 'Which command?'],
    ['what is not known', ['drop'], 'drop is not known.'],
    ['retry of nothing', ['retry'], 'Which events? Name their ids, or --all.'],
    ['retry of some and all', ['retry', '1', '--all'], 'Which events? Name their ids, or --all.'],
    ['an id that is none', ['discard', '1;2'], '1;2 is no id.'],
    ['an unknown option', ['list', '--verbose'], "Unknown option '--verbose'"],
  ])('%s: says what is wrong, and does nothing', async (_what, args, problem) => {
    const id = await giveUp('dashboard-operations', aVoidedEvent());
    const { code, stderr, stdout } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
    expect(stderr).toContain('retry ID... | --all');
    expect(await left()).toEqual([id]);
  });

  it('ends at once when there is no database, and names no password', async () => {
    const env = { DATABASE_URL: 'postgres://someone:s3cret@127.0.0.1:9/paymaster' };
    const { code, stderr } = await commands.start('dead-events.cli.ts', ['list'], env).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr).not.toContain('s3cret');
  });

  it('--help says what it does', async () => {
    const { code, stdout } = await run('--help');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('discard ID... | --all') });
  });
});
