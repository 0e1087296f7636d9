import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { randomAddress, until } from '@paymaster/domain/testing';
import type { SponsorshipEvent } from '@paymaster/messaging';
import { AccountsService } from '../../access/accounts/accounts.service';
import { AccountEventsRepository } from '../../platform/account-events/account-events.repository';
import { OperationsProjection } from '../operations/operations.projection';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster, paymasterIdOf, type Keys } from '../../testing/requests';
import { EventStreams } from './event-streams.service';

const PATH = '/api/v2/public/sdk/events';
let dashboard: DashboardUnderTest;
let url: string;
let keys: Keys;
let paymasterId: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  await dashboard.app.listen(0, '127.0.0.1');
  url = (await dashboard.app.getUrl()).replace('[::1]', '127.0.0.1') + PATH;
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => dashboard.stop());

const change = (explainToClients: boolean) =>
  dashboard.call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body: { explainToClients } });

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** A page that follows its account. */
class Page {
  text = '';
  isOver = false;
  private readonly closing = new AbortController();

  static async open(query = '', headers: Record<string, string> = {}, by = keys): Promise<Page> {
    const page = new Page();
    const answer = await fetch(url + query, {
      headers: { authToken: by.authToken, ...headers },
      signal: page.closing.signal,
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    void page.read(answer);
    return page;
  }

  get events(): readonly Event[] {
    return [...this.text.matchAll(/id: (\d+)\nevent: (\S+)\ndata: (.*)\n\n/g)].map(
      ([, id = '', event = '', data = '']) => ({ id, event, data: JSON.parse(data) as Event['data'] }),
    );
  }

  close(): void {
    this.closing.abort();
  }

  private async read({ body }: Response): Promise<void> {
    try {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        this.text += Buffer.from(chunk).toString('utf8');
      }
    } catch {
      // The page was closed.
    }
    this.isOver = true;
  }
}

/** The events of an operation that is granted and lands. */
function operation(): readonly SponsorshipEvent[] {
  const base = () => ({ eventId: randomUUID(), atMs: Date.now(), chainId: 31337, paymasterId });
  const of = {
    ...{ reservationId: randomUUID(), mode: 'sponsored' as const, sender: randomAddress(), nonce: '7' },
    entryPointVersion: '0.7',
  };
  const facts = { requestId: 'r', policyVersion: 1, targets: [], trace: [], policyId: null };
  const wallet = { fundingWallet: randomAddress() };
  const chain = { userOpHash: '0x1', transactionHash: '0x2', blockNumber: '9', chargedWei: '6', actualGasCostWei: '5' };
  return [
    { kind: 'granted', ...base(), ...of, ...facts, ...wallet, prechargeWei: '9', validUntilSeconds: 1_800_000_000 },
    { kind: 'landed', ...base(), ...of, ...wallet, ...chain, success: true },
    { kind: 'settled', ...base(), ...of, ...wallet, ...chain, success: true },
  ];
}
const accountIdOf = async (id: string) => {
  const query = `SELECT account_id AS "accountId" FROM dashboard.paymasters WHERE id = $1`;
  const [row] = (await databaseOf(dashboard).query(query, [id])) as [{ accountId: string }];
  return row.accountId;
};
const apply = async (...events: readonly SponsorshipEvent[]) => {
  for (const event of events) await dashboard.app.get(OperationsProjection).apply(event);
};

const assertStillAllowed = () => Promise.resolve();

describe('GET /events', () => {
  it('tells of operations and changed policies as they happen, once each, and of no other account', async () => {
    const [page, stranger] = [await Page.open(), await Page.open('', {}, await createPaymaster(dashboard))];
    await change(true);
    const events = operation();
    await apply(...events, ...events);
    await until(() => page.events.length === 4);
    const { operationId } = page.events[1]?.data ?? {};
    expect(page.events).toMatchObject([
      { id: '1', event: 'policy.changed', data: { paymasterId, version: 2, at: expect.any(String) } },
      { id: '2', event: 'operation.granted', data: { paymasterId, operationId, nonce: '7', chainId: 31337 } },
      { id: '3', event: 'operation.landed', data: { operationId } },
      { id: '4', event: 'operation.settled', data: { operationId } },
    ]);
    const shown = await dashboard.call({ method: 'GET', path: `/operation/${String(operationId)}`, ...keys });
    expect(shown.body.data).toMatchObject({ state: 'settled' });
    expect(stranger.events).toEqual([]);
    page.close();
    stranger.close();
  });

  it('goes on after the event that the client has, without gaps, however writers race', async () => {
    await change(true);
    const first = await Page.open('?after=0');
    await until(() => first.events.length === 1);
    first.close();
    await Promise.all(Array.from({ length: 20 }, () => apply(...operation())));
    await change(false);
    const next = await Page.open('', { 'Last-Event-ID': '1' });
    await until(() => next.events.length === 61);
    expect(next.events.map(({ id }) => Number(id))).toEqual(Array.from({ length: 61 }, (_, index) => index + 2));
    next.close();
  });

  it.each([
    ['lastNumbers', '', ['3']],
    ['after', '?after=0', ['1', '2', '3']],
  ])('sends no event twice and none from before, when %s is slow as a stream begins', async (slow, query, ids) => {
    for (const on of [true, false]) await change(on);
    const other = await Page.open('', {}, await createPaymaster(dashboard));
    const events = dashboard.app.get(AccountEventsRepository);
    const [lastNumbers, after] = [events.lastNumbers.bind(events), events.after.bind(events)];
    const accountId = await accountIdOf(paymasterId);
    let looks = 0;
    /** Meanwhile something happens, and two looks for all streams of the process run to their end. */
    const slowly = async <T>(answer: T): Promise<T> => {
      await change(true);
      const looksBefore = looks;
      await until(() => looks >= looksBefore + 3);
      return answer;
    };
    jest.spyOn(events, 'lastNumbers').mockImplementation(async (accountIds) => {
      const last = await lastNumbers(accountIds);
      // The stream asks for its account alone, a look also for the other.
      if (String(accountIds) === accountId) return slow === 'lastNumbers' ? slowly(last) : last;
      looks++;
      return last;
    });
    jest.spyOn(events, 'after').mockImplementation(async (account, number, most) => {
      const page = await after(account, number, most);
      return slow === 'after' && most === 1 ? slowly(page) : page;
    });
    const page = await Page.open(query);
    await until(() => page.events.some(({ id }) => id === '3'));
    expect(page.events.map(({ id }) => id)).toEqual(ids);
    page.close();
    other.close();
  });

  it('says that events are lost when they are forgotten, or never were', async () => {
    for (const on of [true, false, true]) await change(on);
    await databaseOf(dashboard).query(
      `DELETE FROM dashboard.account_events WHERE data->>'paymasterId' = $1 AND number < 3`,
      [paymasterId],
    );
    for (const [after, events] of [
      [1, ['reset']],
      [2, ['policy.changed']],
      [3, []],
      [9, ['reset']],
    ] as const) {
      const page = await Page.open(`?after=${after}&follow=false`);
      await until(() => page.isOver);
      expect({ after, events: page.events.map(({ event }) => event) }).toEqual({ after, events });
    }
  });

  it('ends when the token is revoked', async () => {
    const page = await Page.open();
    const accounts = dashboard.app.get(AccountsService);
    const token = (await accounts.listTokens()).at(-1);
    await accounts.revokeToken(String(token?.id));
    // Rights are looked at every 15 s; a stream on which nothing is sent is cut off by the server after a minute.
    await until(() => page.isOver, 'the stream ends', 40_000);
    expect(page.text).not.toContain('still here');
  });

  it('sends nothing more to a stream without follow whose client reads slowly', async () => {
    await change(true);
    const events = new AccountEventsRepository(databaseOf(dashboard));
    const streams = new EventStreams(events);
    const accountId = await accountIdOf(paymasterId);
    const out = await streams.open({ accountId, after: 0, follow: false, assertStillAllowed });
    await change(false);
    const looks = jest.spyOn(events, 'lastNumbers');
    // A second look begins when the first has ended.
    await until(() => looks.mock.calls.length > 1);
    expect((await text(out)).match(/id: \d+/g)).toEqual(['id: 1']);
    await streams.beforeApplicationShutdown();
  });

  it('ends a stream that begins while the process ends', async () => {
    const streams = new EventStreams(dashboard.app.get(AccountEventsRepository));
    const opening = streams.open({ accountId: randomUUID(), after: undefined, follow: true, assertStillAllowed });
    await streams.beforeApplicationShutdown();
    expect(await text(await opening)).toBe('retry: 1000\n\n');
  });

  it('takes ten streams of an account, and one more when one has ended', async () => {
    const pages = await Promise.all(Array.from({ length: 10 }, () => Page.open()));
    const refused = await fetch(url, { headers: { authToken: keys.authToken } });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('5');
    await refused.text();
    pages[0]?.close();
    await until(async () => {
      const answer = await fetch(`${url}?follow=false`, { headers: { authToken: keys.authToken } });
      await answer.text();
      return answer.status === 200;
    });
    for (const page of pages) page.close();
  });

  it.each([
    ['?after=x', {}, 'after must be a whole number'],
    ['?follow=yes', {}, 'follow must be true or false'],
    ['?since=1', {}, 'the query parameter "since" is not known'],
    ['', { 'Last-Event-ID': 'x' }, 'Last-Event-ID must be a whole number'],
  ])('refuses %s %j', async (query, headers, message) => {
    const answer = await fetch(url + query, { headers: { authToken: keys.authToken, ...headers } });
    expect({ status: answer.status, ...((await answer.json()) as object) }).toMatchObject({ status: 400, message });
  });
});
