import { randomUUID } from 'node:crypto';
import { EventsWorld, CHAIN_ID } from './support/events-world';
import { SponsoredTraffic } from './support/sponsored-traffic';

const DAY_MS = 86_400_000;
const TOLD = ['granted', 'refused', 'settled', 'voided'] as const;

interface Owner {
  readonly headers: Record<string, string>;
  readonly paymasterId: string;
  readonly webhookId: string;
}

type Counts = Record<'granted' | 'refused' | 'settled' | 'reverted' | 'voided' | 'spentWei', string>;

let world: EventsWorld | undefined;
let traffic: SponsoredTraffic | undefined;
afterEach(async () => {
  try {
    await traffic?.stop();
  } finally {
    await world?.stop();
  }
});

/** Issue: nats-server killed and its data lost; no event effect lost, none doubled, after the rebuild. */
describe('nats-server killed and its data deleted, while events are published and read', () => {
  it('costs no effect and doubles none: operations, usage and webhooks are what the ledger says', async () => {
    world = await EventsWorld.start();
    const owners = [await newOwner(world), await newOwner(world)];
    traffic = new SponsoredTraffic(
      world,
      owners.map(({ paymasterId }) => paymasterId),
    );
    traffic.start();
    await traffic.untilRounds(4);
    await world.killNatsAtWork();
    await traffic.untilRounds(3);
    await world.startEmptyNats();
    await traffic.untilRounds(3);
    // The loss was noticed; an operator who is not sure has everything published once more.
    expect(await world.command('settlement', 'ledger.js', 'republish')).toMatch(/^\d+ events will be published again/);
    await traffic.untilRounds(2);
    await traffic.settle();
    await world.untilQuiet();

    expect(await world.query('SELECT * FROM dashboard.dead_events')).toEqual([]);
    expect(await world.query(OPERATIONS_THAT_DIFFER)).toEqual([]);
    for (const owner of owners) {
      const expected = await usageInLedger(world, owner);
      expect(Object.values(expected)).not.toContain('0');
      expect(await usageShown(world, owner)).toEqual(expected);
      expect(await queuedFor(world, owner)).toEqual(await toldOf(world, owner));
    }
  }, 600_000);
});

/** A paymaster with a webhook that wants to hear everything. */
async function newOwner(of: EventsWorld): Promise<Owner> {
  const made = await of.command('dashboard', 'account.js', 'create', '--json', '--name', `events ${randomUUID()}`);
  const { authToken } = JSON.parse(made) as { authToken: string };
  const body = { name: `events ${randomUUID()}`, type: 'HYBRID', chainId: CHAIN_ID, version: '2.0.0' };
  const { apiKey } = await call<{ apiKey: string }>(of, { authToken }, 'paymaster', body);
  const headers = { authToken, apiKey };
  const { paymasterId } = await call<{ paymasterId: string }>(of, headers, 'funding-message');
  const webhook = { webhookUrl: of.receiver.url, requestType: 'POST', events: TOLD };
  const { webhookId } = await call<{ webhookId: string }>(of, headers, 'webhook', webhook);
  return { headers, paymasterId, webhookId };
}

async function call<T>(of: EventsWorld, headers: Record<string, string>, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${of.dashboard.url}/api/v2/public/sdk/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { statusCode, message, data } = (await answer.json()) as { statusCode: number; message: string; data: T };
  if (statusCode !== 200) throw new Error(`${path}: ${message}`);
  return data;
}

/** Rows of the one that are not in the other, or not alike; refusals are known by their event. */
const OPERATIONS_THAT_DIFFER = `
  WITH ledger AS (
    SELECT r.id::text AS reservation_id, r.paymaster_id, r.state, r.sender, r.nonce, r.hold_wei AS expected_cost_wei,
           CASE r.state WHEN 'settled' THEN r.charged_wei END AS actual_cost_wei,
           CASE r.state WHEN 'settled' THEN r.success END AS success,
           CASE r.state WHEN 'settled' THEN r.user_op_hash END AS user_op_hash, r.void_reason,
           (SELECT count(*) FROM ledger.outbox o
             WHERE o.kind = 'granted' AND o.payload ->> 'reservationId' = r.id::text)::int AS grants
      FROM ledger.reservations r
    UNION ALL
    SELECT event_id::text, paymaster_id, 'refused', payload ->> 'sender', (payload ->> 'nonce')::numeric,
           (payload ->> 'prechargeWei')::numeric, NULL, NULL, NULL, NULL, 0
      FROM ledger.outbox WHERE kind = 'refused'
  ), shown AS (
    SELECT coalesce(reservation_id, id::text) AS reservation_id, paymaster_id, state, sender, nonce, expected_cost_wei,
           actual_cost_wei, success, user_op_hash, void_reason, grants
      FROM dashboard.operations
  )
  SELECT 'in the ledger only' AS found, l.* FROM (SELECT * FROM ledger EXCEPT ALL SELECT * FROM shown) l
  UNION ALL
  SELECT 'shown only', s.* FROM (SELECT * FROM shown EXCEPT ALL SELECT * FROM ledger) s`;

async function usageInLedger(of: EventsWorld, { paymasterId }: Owner): Promise<Counts> {
  const [counts] = await of.query<Counts>(
    `SELECT count(*)::text AS granted, count(*) FILTER (WHERE state = 'settled')::text AS settled,
            count(*) FILTER (WHERE state = 'settled' AND NOT success)::text AS reverted,
            count(*) FILTER (WHERE state = 'voided')::text AS voided,
            coalesce(sum(charged_wei) FILTER (WHERE state = 'settled'), 0)::text AS "spentWei",
            (SELECT count(*) FROM ledger.outbox WHERE kind = 'refused' AND paymaster_id = $1)::text AS refused
       FROM ledger.reservations WHERE paymaster_id = $1`,
    [paymasterId],
  );
  return counts!;
}

/** As the owner sees it, over all hours. */
async function usageShown(of: EventsWorld, { headers }: Owner): Promise<Counts> {
  const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  const hours = await call<Record<keyof Counts, string | number>[]>(of, headers, `usage?from=${day(-2)}&to=${day(2)}`);
  const sum = (name: keyof Counts) => String(hours.reduce((total, hour) => total + BigInt(hour[name]), 0n));
  const names: (keyof Counts)[] = ['granted', 'refused', 'settled', 'reverted', 'voided', 'spentWei'];
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Counts;
}

/** Ids of the events in the webhook's queue; one that was queued twice is there twice. */
async function queuedFor(of: EventsWorld, { webhookId }: Owner): Promise<string[]> {
  const rows = await of.query<{ id: string }>(
    'SELECT event_id AS id FROM dashboard.webhook_deliveries WHERE webhook_id = $1 ORDER BY 1',
    [webhookId],
  );
  return rows.map(({ id }) => id);
}

async function toldOf(of: EventsWorld, { paymasterId }: Owner): Promise<string[]> {
  const rows = await of.query<{ id: string }>(
    'SELECT event_id AS id FROM ledger.outbox WHERE paymaster_id = $1 AND kind = ANY ($2) ORDER BY 1',
    [paymasterId, TOLD],
  );
  return rows.map(({ id }) => id);
}
