import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomAddress } from '@paymaster/domain/testing';
import type {
  BundlerEvent,
  GrantedEvent,
  LandedEvent,
  RefusedEvent,
  SponsorshipEvent,
  VoidedEvent,
} from '@paymaster/messaging';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { plansOf, wideReads } from '../../testing/statement-plans';
import { SplitUsageByMode1765239300000 } from '../../schema/migrations/1765239300000-split-usage-by-mode';
import { SumMoney1765325820000 } from '../../schema/migrations/1765325820000-sum-money';
import {
  contractBody,
  createPaymaster,
  type Keys,
  paymasterBody,
  paymasterIdOf,
  refusal,
} from '../../testing/requests';
import { OperationsProjection } from './operations.projection';

const AT_MS = Date.parse('2026-03-04T05:06:07.089Z');
const SENDER = randomAddress();
/** The money of one settled operation whose events tell no price. */
const UNPRICED = { spentUsd: '0', unpriced: 1, receivedUsd: '0', unrecorded: 0, netUsd: '0' };
type Shown = Readonly<Record<string, unknown>>;

let dashboard: DashboardUnderTest;
let keys: Keys;
let paymasterId: string;
let reservation = 0;

beforeAll(async () => {
  dashboard = await startDashboard();
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
});
afterAll(() => dashboard.stop());

const apply = (...events: SponsorshipEvent[]) =>
  events.reduce(
    (before, event) => before.then(() => dashboard.app.get(OperationsProjection).apply(event)),
    Promise.resolve(),
  );
const get = (path: string, by: Keys = keys) => dashboard.call({ method: 'GET', path, ...by });
const list = async (query = '') => ((await get(`/operation${query}`)).body.data?.['operations'] ?? []) as Shown[];
const usage = async () =>
  (await get('/usage?from=2026-03-04&to=2026-03-05')).body.data as unknown as Record<string, unknown>[];

/** An operation with its events; each call another one. */
function operation(change: { atMs?: number; sender?: string; success?: boolean; mode?: 'sponsored' | 'token' } = {}) {
  reservation += 1;
  const { atMs = AT_MS, sender = randomAddress(), success = true, mode = 'sponsored' } = change;
  const base = () => ({ eventId: randomUUID(), atMs, chainId: 31337, paymasterId });
  const ref = {
    ...{ reservationId: `${reservation}`, mode, sender, nonce: '7', entryPointVersion: '0.7' },
  };
  const facts = {
    requestId: 'r1',
    policyVersion: 3,
    targets: [{ to: randomAddress(), selector: '0xd09de08a', valueWei: '0' }],
    trace: [{ rule: 'methodsWhitelisted', input: '0xd09de08a', outcome: 'pass' as const }],
  };
  const chain = {
    userOpHash: `0x${'1'.repeat(64)}`,
    transactionHash: `0x${'2'.repeat(64)}`,
    blockNumber: '99',
    fundingWallet: randomAddress(),
    chargedWei: '600',
    actualGasCostWei: '500',
    success,
  };
  return {
    granted: (): GrantedEvent => ({
      ...{ kind: 'granted', ...base(), ...ref, ...facts, policyId: null },
      ...{ fundingWallet: randomAddress(), prechargeWei: '1000', validUntilSeconds: 1_800_000_300 },
    }),
    refused: (): RefusedEvent => ({
      ...{ kind: 'refused', ...base(), ...ref, ...facts, reservationId: null, prechargeWei: null },
      ...{ reason: 'SPENDING_LIMIT_REACHED', message: 'used up', details: { limit: '5', used: '5' } },
    }),
    landed: (kind: LandedEvent['kind']): LandedEvent => ({ kind, ...base(), ...ref, ...chain }),
    atBundler: (kind: BundlerEvent['kind'], changes: Partial<BundlerEvent> = {}): BundlerEvent => ({
      ...{ kind, ...base(), ...ref, userOpHash: chain.userOpHash, bundler: 'alto', message: null, ...changes },
    }),
    voided: (): VoidedEvent => ({ kind: 'voided', ...base(), ...ref, because: 'expired', releasedWei: '1000' }),
  };
}

describe('an operation', () => {
  it('is shown through its life: granted, landed, settled, with what it was expected to cost and what it did', async () => {
    const { granted, landed } = operation();
    await apply(granted());
    expect(await list()).toEqual([
      expect.objectContaining({ state: 'granted', expectedCostWei: '1000', actualCostWei: null, requestId: 'r1' }),
    ]);
    await apply(landed('landed'), landed('settled'));
    const [shown] = await list();
    expect(shown).toMatchObject({
      state: 'settled',
      actualCostWei: '600',
      gasCostWei: '500',
      success: true,
      grants: 1,
    });
    expect(shown?.['trace']).toEqual([{ rule: 'methodsWhitelisted', input: '0xd09de08a', outcome: 'pass' }]);
    expect((await get(`/operation/${String(shown?.['id'])}`)).body.data).toEqual(shown);
  });

  it('is one operation however often its nonce was asked for', async () => {
    const { granted } = operation();
    await apply(granted(), granted(), { ...granted(), prechargeWei: '1500' });
    expect(await list()).toEqual([expect.objectContaining({ grants: 3, expectedCostWei: '1500' })]);
    expect(await usage()).toEqual([expect.objectContaining({ granted: 1 })]);
  });

  it('is shown with what its bundlers did, also where that comes before its grant, and found by its hash', async () => {
    const { granted, atBundler, landed } = operation();
    const hash = `0x${'1'.repeat(64)}`;
    await apply(atBundler('sent'));
    const found = async () => (await list(`?userOpHash=${hash}`))[0];
    expect(await found()).toMatchObject({ state: 'granted', grants: 0 });
    await apply(granted(), atBundler('bundlerRefused', { bundler: 'rented', message: 'AA25', atMs: AT_MS + 2 }));
    await apply(atBundler('waiting', { atMs: AT_MS + 1 }));
    const at = '2026-03-04T05:06:07.091Z';
    const refused = { state: 'refused', name: 'rented', message: 'AA25', userOpHash: hash, at };
    expect(await found()).toMatchObject({ state: 'granted', grants: 1, bundler: refused, updatedAt: at });
    expect((await usage())[0]).toMatchObject({ granted: 1 });
    await apply(landed('landed'), landed('unlanded'));
    expect(await found()).toMatchObject({ state: 'granted', bundler: refused });
  });

  it('is shown with what became of its newest form, where a nonce was signed twice', async () => {
    const { granted, atBundler } = operation();
    const [former, newer] = [`0x${'3'.repeat(64)}`, `0x${'4'.repeat(64)}`];
    const after = (kind: BundlerEvent['kind'], userOpHash: string, ms: number) =>
      atBundler(kind, { userOpHash, atMs: AT_MS + ms });
    const shown = async () => (await list())[0]?.['bundler'];
    await apply(granted(), after('sent', former, 1), after('bundlerRefused', newer, 2));
    expect(await shown()).toMatchObject({ state: 'sent', userOpHash: former });
    await apply(after('sent', newer, 3), after('dropped', former, 4));
    expect(await shown()).toMatchObject({ state: 'sent', userOpHash: newer });
    await apply(after('dropped', newer, 5), after('bundlerRefused', former, 6));
    expect(await shown()).toMatchObject({ state: 'refused', userOpHash: former });
  });

  it('changes nothing when its events come again, in whatever order', async () => {
    const { granted, landed } = operation();
    const events = [granted(), landed('landed'), landed('settled')];
    await apply(...events);
    const before = { shown: await list(), usage: await usage() };
    for (let i = 0; i < 12; i++) await apply(...[...events].sort(() => Math.random() - 0.5));
    expect({ shown: await list(), usage: await usage() }).toEqual(before);
    expect(before.usage).toEqual([expect.objectContaining({ granted: 1, settled: 1, reverted: 0, spentWei: '600' })]);
  });

  it.each<[string, (of: ReturnType<typeof operation>) => SponsorshipEvent[]]>([
    ['voided', ({ granted, voided }) => [granted(), voided()]],
    ['settled', ({ granted, landed }) => [granted(), landed('landed'), landed('settled')]],
  ])('that was %s comes to the same in whatever order processes finish its events', async (state, eventsOf) => {
    const outcomes: unknown[] = [];
    for (const turn of [0, 1, 2]) {
      keys = await createPaymaster(dashboard);
      paymasterId = await paymasterIdOf(dashboard, keys);
      const events = eventsOf(operation({ sender: SENDER }));
      await apply(...events.slice(turn), ...events.slice(0, turn));
      const [{ id: _, paymasterId: __, targets: ___, fundingWallet: ____, ...shown } = {}, ...others] = await list();
      expect(others).toEqual([]);
      outcomes.push({ shown, usage: await usage() });
    }
    expect(outcomes[0]).toMatchObject({ shown: { state, grants: 1, expectedCostWei: '1000' } });
    expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
  });

  it('counts once when two processes get the same event at the same time', async () => {
    const { granted } = operation();
    const event = granted();
    await Promise.all(Array.from({ length: 8 }, () => apply(event)));
    expect(await usage()).toEqual([expect.objectContaining({ granted: 1 })]);
  });

  it('goes back to granted when its block was undone, and is not taken back once it is final', async () => {
    const { granted, landed } = operation();
    await apply(granted(), landed('landed'), landed('unlanded'));
    expect(await list()).toEqual([
      expect.objectContaining({ state: 'granted', actualCostWei: null, userOpHash: null }),
    ]);
    await apply(landed('settled'), landed('landed'), landed('unlanded'), operationVoid());
    expect(await list()).toEqual([expect.objectContaining({ state: 'settled', actualCostWei: '600' })]);
    expect(await usage()).toEqual([expect.objectContaining({ settled: 1, voided: 0 })]);

    function operationVoid(): VoidedEvent {
      const { eventId: _, ...event } = { ...operation().voided(), reservationId: `${reservation - 1}` };
      return { ...event, eventId: randomUUID() };
    }
  });

  it('that was refused says why, under which limits', async () => {
    await apply(operation().refused());
    expect(await list('?state=refused&reason=SPENDING_LIMIT_REACHED')).toEqual([
      expect.objectContaining({ reason: 'SPENDING_LIMIT_REACHED', details: { limit: '5', used: '5' }, grants: 0 }),
    ]);
  });

  it('in a brief list leaves out what only one operation is opened for', async () => {
    await apply(operation().refused());
    const [whole] = await list('?state=refused&reason=SPENDING_LIMIT_REACHED');
    expect(whole?.['trace']).not.toBeNull();
    expect(await list('?state=refused&reason=SPENDING_LIMIT_REACHED&brief=true')).toEqual([
      { ...whole, details: null, trace: null },
    ]);
  });

  it('of another paymaster looks like one that does not exist', async () => {
    await apply(operation().granted());
    const [shown] = await list();
    const other = await createPaymaster(dashboard);
    expect((await get('/operation', other)).body.data).toEqual({ operations: [], nextCursor: null });
    for (const id of [String(shown?.['id']), randomUUID(), 'x', '%00']) {
      expect(await get(`/operation/${id}`, other)).toMatchObject({
        status: 404,
        body: refusal(404, 'OPERATION_NOT_FOUND', 'Operation not found'),
      });
    }
  });
});

describe('the list of operations', () => {
  it('is paged without gaps or repetitions, also among operations of the same millisecond', async () => {
    for (let i = 0; i < 25; i++) await apply(operation({ atMs: AT_MS + Math.floor(i / 10) }).granted());
    const seen: unknown[] = [];
    let path = '/operation?limit=7';
    for (let pages = 0; path && pages < 10; pages++) {
      const { data } = (await get(path)).body;
      seen.push(...(data?.['operations'] as Shown[]).map(({ id }) => id));
      path = data?.['nextCursor'] ? `/operation?limit=7&cursor=${String(data['nextCursor'])}` : '';
    }
    expect(seen).toEqual((await list('?limit=200')).map(({ id }) => id));
    expect(new Set(seen).size).toBe(25);
  });

  it('is filtered by sender and time', async () => {
    const sender = randomAddress();
    await apply(operation({ sender }).granted(), operation({ sender, atMs: AT_MS + 3_600_000 }).granted());
    await apply(operation().granted());
    expect(await list(`?sender=${sender}`)).toHaveLength(2);
    expect(await list(`?sender=${sender}&to=2026-03-04T06:00:00Z`)).toHaveLength(1);
  });

  it.each(['/operation', '/operation/export.csv'])('names a filter of %s that is wrong', async (path) => {
    expect((await get(`${path}?state=nonsense`)).body).toEqual(
      refusal(400, 'INVALID_BODY', 'state must be one of granted, refused, landed, settled, voided'),
    );
  });

  const csv = async (query: string) => {
    const url = `/api/v2/public/sdk/operation/export.csv${query}`;
    const answer = await dashboard.app.inject({ method: 'GET', url, headers: { ...keys } });
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [header = '', ...lines] = answer.body.split('\r\n').slice(0, -1);
    return lines.map((line) => Object.fromEntries(header.split(',').map((name, at) => [name, line.split(',')[at]])));
  };

  it('is counted by several dashboards at once, and no two of them wait for each other', async () => {
    const asked = Array.from({ length: 40 }, () => operation());
    await apply(...asked.map(({ granted }) => granted()));
    const events = asked.flatMap(({ landed }) => [landed('settled'), operation().granted()]);
    await Promise.all(events.map((event) => dashboard.app.get(OperationsProjection).apply(event)));
    expect(await usage()).toMatchObject([{ granted: 80, settled: 40 }]);
  });

  it('is exported as CSV, however long it is', async () => {
    for (let i = 0; i < 203; i++) await apply(operation().granted());
    const lines = await csv('?state=granted');
    expect(new Set(lines.map(({ id }) => id)).size).toBe(203);
    expect(lines[0]).toMatchObject({ state: 'granted', mode: 'sponsored', chainId: '31337' });
  });

  it('is exported with names beside ids, and with coin and USD beside wei', async () => {
    const [contract, policy] = [contractBody(), { name: 'Two a day', policyType: 'WALLET_DEPLOYMENT', policyData: {} }];
    const post = (path: string, body: object) => dashboard.call({ method: 'POST', path, ...keys, body });
    expect((await post('/smart-contract', contract)).status).toBe(200);
    const policyId = String((await post('/paymaster-policy', policy)).body.data?.['_id']);
    const [token, unregistered] = [`0x${'50'.repeat(20)}`, randomAddress()];
    const { granted, landed } = operation({ mode: 'token' });
    const call = (to: string, selector: string | null) => ({ to, selector, valueWei: '0' });
    const [add, count] = [call(contract.address, '0x1003e2d2'), call(contract.address, '0x06661abd')];
    const targets = [add, count, add, call(contract.address, null), call(unregistered, '0xaaaaaaaa')];
    await apply(
      { ...granted(), policyId, targets, token, nativeUsd: '3000' },
      { ...landed('landed'), chargedWei: `15${'0'.repeat(14)}` },
    );
    await apply(operation({ mode: 'token', atMs: AT_MS - 1 }).refused(), operation({ atMs: AT_MS - 2 }).granted());

    const [paid, unrecorded, sponsored] = await csv('');
    expect(paid).toMatchObject({
      ...{ policyId, policyName: 'Two a day', token, tokenSymbol: 'OPSx', coin: 'ETH' },
      contracts: `${contract.address}; ${contract.address}; ${contract.address}; ${unregistered}`,
      contractNames: `${contract.name}; ${contract.name}; ${contract.name}; `,
      methods: '0x1003e2d2; 0x06661abd; ; 0xaaaaaaaa',
      methodNames: 'add(uint256); count(); ; ',
      ...{ expectedCostWei: '1000', expectedCost: '0.000000000000001', expectedCostUsd: '0.000000000003' },
      ...{ actualCost: '0.0015', actualCostUsd: '4.5' },
    });
    expect(unrecorded).toMatchObject({ mode: 'token', token: '', tokenSymbol: 'not recorded', policyName: '' });
    const unpriced = { expectedCostUsd: 'not recorded', actualCost: '', actualCostUsd: '' };
    expect(sponsored).toMatchObject({ mode: 'sponsored', token: '', tokenSymbol: '', ...unpriced });
    expect((await csv(`?search=${unregistered}`)).length).toBe(0);
    expect((await csv('?search=spending_limit_reached'))[0]).toMatchObject({ id: unrecorded?.['id'] });
  });

  it('is searched by a hash, a sender, an id or a reason, whichever the text is', async () => {
    const [userOpHash, transactionHash] = [`0x${'5'.repeat(64)}`, `0x${'6'.repeat(64)}`];
    const sender = randomAddress();
    const { granted, landed } = operation({ sender });
    await apply({ ...granted(), requestId: 'Asked_For' }, { ...landed('landed'), userOpHash, transactionHash });
    await apply({ ...operation({ sender }).refused(), requestId: 'SPENDING_BRAKE' });
    await apply({ ...operation().refused(), requestId: 'other', reason: 'SPENDING_BRAKE' }, operation().granted());
    const found = async (search: string, more = '') =>
      (await list(`?search=${search}${more}`)).map(({ requestId }) => requestId).sort();
    const upper = (hex: string) => hex.toUpperCase().replace('0X', '0x');
    expect(await found(userOpHash)).toEqual(['Asked_For']);
    expect(await found(transactionHash)).toEqual(['Asked_For']);
    expect(await found(upper(transactionHash))).toEqual(['Asked_For']);
    expect(await found(`0x${'7'.repeat(64)}`)).toEqual([]);
    expect(await found(upper(sender))).toEqual(['Asked_For', 'SPENDING_BRAKE']);
    expect(await found(sender, '&state=refused')).toEqual(['SPENDING_BRAKE']);
    expect(await found('Asked_For')).toEqual(['Asked_For']);
    expect(await found('SPENDING_BRAKE')).toEqual(['SPENDING_BRAKE', 'other']);
    expect(await found('spending_brake')).toEqual(['other']);
    const [{ id } = {}] = await list(`?search=${userOpHash}`);
    expect(await found(String(id))).toEqual(['Asked_For']);
    expect((await get('/operation?search=0x12')).body).toEqual(
      refusal(
        400,
        'INVALID_BODY',
        'search must be a hash, an address, the id of a request or an operation, or an error reason',
      ),
    );
  });

  it('has a list of the reasons for which operations are refused, each with what it means', async () => {
    const reasons = (await get('/operation/reasons')).body.data as unknown as Shown[];
    const pages = readdirSync(join(__dirname, '../../../../../docs/errors'));
    expect(reasons.filter(({ reason }) => !pages.includes(`${String(reason)}.md`))).toEqual([]);
    expect(reasons).toContainEqual({
      reason: 'SPENDING_LIMIT_REACHED',
      when: 'A limit of the policy is used up, or has no room for this operation.',
    });
    const words = reasons.map(({ reason }) => String(reason));
    expect(words).toEqual(expect.arrayContaining(['QUOTE_EXPIRED', 'FUNDING_WALLET_MISSING', 'WEBHOOK_REFUSED']));
    expect(words).toEqual([...new Set(words)].sort());
  });

  it('is filtered by what an operation called, and by its ids', async () => {
    const policyId = randomUUID();
    const [contract, other] = [randomAddress(), randomAddress()];
    const call = (to: string, selector: string | null) => ({ to, selector, valueWei: '0' });
    const wanted = operation();
    await apply(
      {
        ...{ ...wanted.granted(), policyId, requestId: 'asked-for' },
        targets: [
          call(contract, '0xaaaaaaaa'),
          call(contract, '0xaaaaaaaa'),
          call(other, '0xbbbbbbbb'),
          call(other, null),
        ],
      },
      { ...wanted.landed('landed'), transactionHash: `0x${'7'.repeat(64)}` },
      { ...operation().refused(), targets: [call(contract, '0xbbbbbbbb')] },
      operation().granted(),
    );
    const found = async (query: string) => (await list(`?${query}`)).length;
    expect(await found(`contract=${contract}`)).toBe(2);
    expect(await found(`contract=${contract}&state=refused`)).toBe(1);
    expect(await found(`contract=${other.toUpperCase().replace('0X', '0x')}`)).toBe(1);
    expect(await found('method=0xbbbbbbbb')).toBe(2);
    expect(await found(`method=0xaaaaaaaa&contract=${contract}`)).toBe(1);
    expect(await found(`method=0xaaaaaaaa&contract=${other}`)).toBe(0);
    expect(await found(`policyId=${policyId}`)).toBe(1);
    expect(await found('requestId=asked-for')).toBe(1);
    expect(await found(`transactionHash=0x${'7'.repeat(64)}`)).toBe(1);
    expect(await found(`transactionHash=0x${'8'.repeat(64)}`)).toBe(0);
    expect(await found('requestId=asked-for&state=settled')).toBe(0);
  });

  it('follows an operation that is granted again with other calls, and forgets what is deleted', async () => {
    const [before, after] = [randomAddress(), randomAddress()];
    const { granted } = operation();
    const calling = (to: string) => ({ ...granted(), targets: [{ to, selector: null, valueWei: '0' }] });
    await apply(calling(before), { ...calling(after), atMs: AT_MS - 1_000 });
    expect(await list(`?contract=${before}`)).toEqual([]);
    expect(await list(`?contract=${after}`)).toHaveLength(1);
    await databaseOf(dashboard).query('DELETE FROM dashboard.operations WHERE paymaster_id = $1', [paymasterId]);
    expect(
      await databaseOf(dashboard).query('SELECT FROM dashboard.operation_targets WHERE paymaster_id = $1', [
        paymasterId,
      ]),
    ).toEqual([]);
  });

  it('of an account has the operations of all of its paymasters in one order, and of no other account', async () => {
    const { authToken } = keys;
    const first = paymasterId;
    const body = paymasterBody();
    const second = await dashboard.call({ method: 'POST', path: '/paymaster', authToken, body });
    const secondId = await paymasterIdOf(dashboard, { apiKey: String(second.body.data?.['apiKey']) });
    const stranger = await paymasterIdOf(dashboard, await createPaymaster(dashboard));
    for (let i = 0; i < 9; i++) {
      paymasterId = [first, secondId, stranger][i % 3] ?? first;
      await apply(operation({ atMs: AT_MS + i }).granted());
    }
    const seen: Shown[] = [];
    let path = '/account/operation?limit=4&state=granted';
    for (let pages = 0; path && pages < 9; pages++) {
      const { data } = (await dashboard.call({ method: 'GET', path, authToken })).body;
      seen.push(...(data?.['operations'] as Shown[]));
      path = data?.['nextCursor']
        ? `/account/operation?limit=4&state=granted&cursor=${String(data['nextCursor'])}`
        : '';
    }
    expect(seen.map(({ paymasterId: of, createdAt }) => [of, Date.parse(String(createdAt)) - AT_MS])).toEqual(
      [7, 6, 4, 3, 1, 0].map((at) => [at % 3 === 0 ? first : secondId, at]),
    );
    expect((await dashboard.call({ method: 'GET', path: '/account/operation?wat=1', authToken })).status).toBe(400);
  });

  describe('at 5,000 operations', () => {
    const [contract, policyId] = [randomAddress(), randomUUID()];
    const targets = JSON.stringify([{ to: contract, selector: '0xaaaaaaaa', valueWei: '0' }]);
    let owner: { keys: Keys; paymasterId: string };

    beforeAll(async () => {
      const own = await createPaymaster(dashboard);
      owner = { keys: own, paymasterId: await paymasterIdOf(dashboard, own) };
      // In small steps: the service's own statement timeout holds here too, also on a busy machine. A fifth of them is of
      // the paymaster.
      for (let step = 0; step < 10; step++) {
        await databaseOf(dashboard).query(
          `INSERT INTO dashboard.operations (id, paymaster_id, chain_id, state, mode, sender, nonce, entry_point_version,
                                             request_id, policy_id, user_op_hash, transaction_hash, targets, created_at,
                                             updated_at, reason)
           SELECT gen_random_uuid(), CASE WHEN n % 5 = 0 THEN $1::uuid ELSE gen_random_uuid() END, 1, 'refused',
                  'sponsored', '0x' || n % 1000, n, '0.7', 'r' || n, $3, '0x' || n, '0x' || n, $4,
                  now() - n * interval '1 s', now(), 'METHOD_NOT_WHITELISTED'
             FROM generate_series($2::int * 500 + 1, ($2::int + 1) * 500) n`,
          [owner.paymasterId, step, policyId, targets],
        );
      }
      await databaseOf(dashboard).query('ANALYZE dashboard.operations, dashboard.operation_targets');
    });
    beforeEach(() => ({ keys, paymasterId } = owner));

    it('every filter by one value reads few rows, by an index', async () => {
      const hash = `0x${'9'.repeat(64)}`;
      const filters = [
        ...['', 'state=refused', 'state=granted', `sender=${SENDER}`, `userOpHash=${hash}`, `transactionHash=${hash}`],
        ...['reason=METHOD_NOT_WHITELISTED', 'reason=SPENDING_BRAKE', `search=${hash}`, `search=${SENDER}`],
        ...['search=r700', 'search=METHOD_NOT_WHITELISTED', 'search=SPENDING_BRAKE', `search=${randomUUID()}`],
        ...['requestId=r700', `policyId=${policyId}`, `policyId=${randomUUID()}`, 'from=2026-01-01&to=2026-01-02'],
        ...[
          `contract=${contract}`,
          `contract=${SENDER}`,
          'method=0xaaaaaaaa',
          `contract=${contract}&method=0xaaaaaaaa`,
        ],
      ];
      for (const path of ['/operation', '/account/operation']) {
        for (const filter of filters) {
          const plans = await plansOf(databaseOf(dashboard), () => get(`${path}?${filter}`));
          expect({ filter, wide: plans.flatMap((plan) => wideReads(plan, 300)) }).toEqual({ filter, wide: [] });
          expect(plans.length).toBeGreaterThan(0);
        }
      }
    });

    it.each(['reason', 'search'])('%s reads nothing where no operation has that reason', async (name) => {
      const plans = await plansOf(databaseOf(dashboard), () => get(`/operation?${name}=SPENDING_BRAKE`));
      expect(plans.flatMap((plan) => wideReads(plan, 0))).toEqual([]);
      expect(plans.length).toBeGreaterThan(0);
    });
  });
});

describe('usage', () => {
  it('adds up per hour and per day', async () => {
    const failed = operation({ success: false });
    await apply(failed.granted(), failed.landed('settled'), operation().refused());
    const later = operation({ atMs: AT_MS + 7_200_000 });
    await apply(later.granted(), later.voided());
    expect(await usage()).toEqual([
      expect.objectContaining({ start: '2026-03-04T05:00:00.000Z', granted: 1, refused: 1, settled: 1, reverted: 1 }),
      expect.objectContaining({ start: '2026-03-04T07:00:00.000Z', granted: 1, voided: 1, spentWei: '0' }),
    ]);
    const days = (await get('/usage?from=2026-03-01&to=2026-03-09&interval=day')).body.data as unknown as Shown[];
    expect(days).toEqual([
      expect.objectContaining({ start: '2026-03-04T00:00:00.000Z', granted: 2, voided: 1, spentWei: '600' }),
    ]);
  });

  describe('split', () => {
    const by = async (part: string) =>
      (await get(`/usage?by=${part}&from=2026-03-04&to=2026-03-05`)).body.data as unknown as Shown[];
    const [contract, other, policyId] = [randomAddress(), randomAddress(), randomUUID()];
    const targets = [contract, other].map((to) => ({ to, selector: '0xaaaaaaaa', valueWei: '0' }));

    it('counts each operation for all that it called, for its policy and its sender, and no refused one', async () => {
      const settled = operation({ sender: SENDER, success: false });
      const voided = operation({ sender: SENDER });
      await apply({ ...settled.granted(), targets, policyId }, settled.landed('landed'), settled.landed('settled'));
      await apply({ ...voided.granted(), targets: targets.slice(0, 1), policyId }, voided.voided());
      await apply({ ...operation({ sender: SENDER }).refused(), targets });
      const both = { granted: 2, refused: 0, settled: 1, reverted: 1, voided: 1, spentWei: '600', ...UNPRICED };
      const one = { ...both, granted: 1, voided: 0 };
      const start = '2026-03-04T00:00:00.000Z';
      expect(await by('contract')).toEqual([
        { start, key: contract, ...both },
        { start, key: other, ...one },
      ]);
      expect(await by('method')).toMatchObject([
        { key: `${contract}:0xaaaaaaaa`, ...both },
        { key: `${other}:0xaaaaaaaa`, ...one },
      ]);
      expect(await by('policy')).toMatchObject([{ key: policyId, ...both }]);
      expect(await by('sender')).toMatchObject([{ key: SENDER, ...both }]);
      await databaseOf(dashboard).query('DELETE FROM dashboard.operations WHERE paymaster_id = $1', [paymasterId]);
      expect(await by('sender')).toMatchObject([{ key: SENDER, ...both }]);
    });

    it('by mode has every operation once, so that it is the whole that the other splits are parts of', async () => {
      const [free, paid, unplanned] = [operation(), operation({ mode: 'token' }), operation()];
      await apply({ ...free.granted(), targets, policyId }, free.landed('settled'), paid.granted());
      await apply({ ...paid.landed('settled'), chargedWei: '50' }, unplanned.landed('settled'));
      expect(await by('mode')).toMatchObject([
        { key: 'sponsored', granted: 1, settled: 2, spentWei: '1200' },
        { key: 'token', granted: 1, settled: 1, spentWei: '50' },
      ]);
      const spent = (parts: readonly Shown[]) => parts.reduce((sum, { spentWei }) => sum + Number(spentWei), 0);
      expect(spent(await by('sender'))).toBe(1250);
      expect(spent(await by('policy'))).toBe(600);

      // A database from before the split has the operations, and no sums of modes.
      const runner = databaseOf(dashboard).createQueryRunner();
      const [split, money] = [new SplitUsageByMode1765239300000(), new SumMoney1765325820000()];
      await runner.startTransaction();
      await money.down(runner);
      await split.down(runner);
      await split.up(runner);
      await money.up(runner);
      await runner.commitTransaction();
      await runner.release();
      expect(spent(await by('mode'))).toBe(1250);
    });

    it('comes to the same in whatever order events are projected, and however often', async () => {
      const outcomes: unknown[] = [];
      for (const turn of [0, 1, 2]) {
        keys = await createPaymaster(dashboard);
        paymasterId = await paymasterIdOf(dashboard, keys);
        const of = operation({ sender: SENDER });
        const granted = { ...of.granted(), targets, policyId };
        const events = [granted, of.landed('landed'), of.landed('settled')];
        await apply(...events.slice(turn), ...events.slice(0, turn), ...events, { ...granted, eventId: randomUUID() });
        outcomes.push([await by('contract'), await by('policy'), await by('sender')]);
      }
      expect(outcomes[0]).toMatchObject([[{ granted: 1, settled: 1, spentWei: '600' }, {}], [{}], [{}]]);
      expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
    });
  });
});
