import { randomUUID } from 'node:crypto';
import { startAnvil, type Anvil } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type Hex } from '@paymaster/domain';
import { randomAddress, until } from '@paymaster/domain/testing';
import { apiKeyIndex, MAX_ASKED_WALLETS } from '@paymaster/messaging';
import { PolicySnapshotsRepository } from '../outbound/policy-snapshots/policy-snapshots.repository';
import { startAnsweringGateway } from '../testing/answering-gateway';
import {
  CHAIN_ID,
  databaseOf,
  INDEX_KEY,
  PLATFORM_PAYMASTER,
  startDashboard,
  type DashboardUnderTest,
} from '../testing/dashboard-under-test';
import { DevContracts } from '../testing/dev-contracts';
import { ListeningGateway } from '../testing/listening-gateway';
import { fromPage, signedInMember, type TestMember } from '../testing/people';
import { createPaymaster, paymasterBody, paymasterIdOf, refusal, type Keys } from '../testing/requests';
import { plansOf, wideReads } from '../testing/statement-plans';

const NOTHING = { spentWei: '0', spentUsd: '0', unpriced: 0, receivedUsd: '0', unrecorded: 0, netUsd: '0' };
const REASON = 'Its contract is <b>used</b> to drain wallets.';

/** An EntryPoint that answers everything with these five words: 7, 1, 9, 0, 0. */
const DEPOSIT_OF_7_STAKE_OF_9: Hex = '0x60076000526001602052600960405260a06000f3';

let anvil: Anvil;
let contracts: DevContracts;
let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
let operator: TestMember;
let owner: TestMember;
let keys: Keys;
let paymasterId: string;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
  dashboard = await startDashboard({ chainRpcUrl: anvil.url, env: { WEBHOOK_SIGNING_KEY: '33'.repeat(32) } });
  gateway = await ListeningGateway.connect({ natsUrl: dashboard.natsUrl });
  operator = await signedInMember(dashboard, 'the operator', 'owner');
  await query('UPDATE dashboard.people SET is_operator = true WHERE id = $1', [operator.personId]);
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
  const [row] = await query<{ id: string }>('SELECT account_id AS id FROM dashboard.paymasters WHERE id = $1', [
    paymasterId,
  ]);
  owner = await signedInMember(dashboard, { id: String(row?.id) }, 'owner');
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
  contracts.stop();
  await anvil.stop();
});

const query = <T>(text: string, values: unknown[] = []): Promise<T[]> => databaseOf(dashboard).query(text, values);

const asOperator = (method: 'GET' | 'POST', path: string, body?: object) =>
  dashboard.call({ method, path: `/operator${path}`, headers: fromPage(operator.cookie), body });
const asOwner = (method: 'GET' | 'POST', path: string, body?: object) =>
  dashboard.call({
    method,
    path,
    headers: { ...fromPage(owner.cookie, owner.accountId), paymasterid: paymasterId },
    body,
  });
const suspend = (reason: unknown = REASON) => asOperator('POST', `/paymaster/${paymasterId}/suspend`, { reason });
const resume = () => asOperator('POST', `/paymaster/${paymasterId}/resume`);

describe('suspending a paymaster', () => {
  it('is in its policy from then on, which gateways are told of, until it is resumed', async () => {
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 1, suspensionReason: null });
    expect((await suspend(`  ${REASON} `)).body.data).toMatchObject({
      ...{ paymasterId, suspension: { reason: REASON, since: expect.any(String) } },
    });
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 2, suspensionReason: REASON });
    expect((await resume()).body.data).toMatchObject({ paymasterId, suspension: null });
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 3, suspensionReason: null });
    await until(() => gateway.versionsHeardOf(paymasterId).length === 2);
    expect(gateway.versionsHeardOf(paymasterId)).toEqual([2, 3]);
  });

  it('makes it unknown to gateways of a version that would sign for it all the same', async () => {
    await suspend();
    const snapshots = dashboard.app.get(PolicySnapshotsRepository);
    const key = { chainId: CHAIN_ID, indexes: [apiKeyIndex(keys.apiKey, INDEX_KEY)] };
    const known = { paymasterId, version: 2 };
    expect(await snapshots.find(key)).toBeNull();
    expect(await snapshots.confirm({ ...key, known })).toBeNull();
    expect(await snapshots.confirm({ ...key, known, suspensions: true })).toEqual({ lasting: true });
  });

  it('keeps its time when the reason is replaced, and stays when its owner archives, restores and rotates', async () => {
    const first = (await suspend()).body.data as { suspension: { since: string } };
    const { since } = first.suspension;
    expect((await suspend('another')).body.data).toMatchObject({ suspension: { reason: 'another', since } });
    for (const [path, body] of [
      [`/paymaster/${paymasterId}/archive`],
      [`/paymaster/${paymasterId}/restore`],
      ['/paymaster/rotate-key', { previousKeyValidSeconds: 0 }],
      [`/operator/paymaster/${paymasterId}/resume`],
    ] as [string, object?][]) {
      expect((await asOwner('POST', path, body)).status).toBe(path.startsWith('/operator') ? 403 : 200);
    }
    const shown = await asOwner('GET', `/paymaster/${paymasterId}`);
    expect(shown.body.data).toMatchObject({ suspension: { reason: 'another', since } });
  });

  it('is shown to its owner, whose wallet and operations are still there', async () => {
    await suspend();
    const listed = (await asOwner('GET', '/account/paymasters')).body.data as unknown as object[];
    expect(listed).toEqual([
      expect.objectContaining({ paymasterId, suspension: expect.objectContaining({ reason: REASON }) }),
    ]);
    for (const path of ['/operation', '/usage', '/funding-wallet', '/paymaster-settings'])
      expect((await asOwner('GET', path)).status).toBe(200);
  });

  it('is in the audit log of the account, as the operator’s, without his name', async () => {
    await suspend();
    const { data } = (await asOwner('GET', `/account/audit-log?paymasterId=${paymasterId}&subject=paymaster`)).body;
    const [entry] = (data as unknown as { entries: object[] }).entries;
    expect(entry).toMatchObject({
      ...{ tokenIdPrefix: null, personId: null, subjectId: paymasterId, version: 2 },
      ...{ before: { suspensionReason: null }, after: { suspensionReason: REASON } },
    });
    expect(JSON.stringify(data)).not.toContain(operator.personId);
    const [row] = await query<{ operator_id: string }>(
      'SELECT operator_id FROM dashboard.audit_log WHERE paymaster_id = $1 AND version = 2',
      [paymasterId],
    );
    expect(row?.operator_id).toBe(operator.personId);
  });

  it('is told to pages and webhooks of the account, once', async () => {
    const events = ['paymasterSuspended', 'paymasterResumed'];
    const webhookUrl = `https://${randomUUID()}.example.org/`;
    const created = await asOwner('POST', '/webhook', { webhookUrl, requestType: 'POST', events });
    expect(created.status).toBe(200);
    for (const change of [suspend, suspend, resume, resume]) expect((await change()).status).toBe(200);
    const told = await query<{ type: string; body: string }>(
      `SELECT d.type, d.body FROM dashboard.webhook_deliveries d JOIN dashboard.webhooks w ON w.id = d.webhook_id
        WHERE w.url = $1 ORDER BY d.created_at`,
      [webhookUrl],
    );
    expect(told.map(({ type, body }) => [type, (JSON.parse(body) as { data: object }).data])).toEqual([
      ['paymaster.suspended', { chainId: CHAIN_ID, paymasterId, reason: REASON }],
      ['paymaster.resumed', { chainId: CHAIN_ID, paymasterId }],
    ]);
    const heard = await query<{ type: string; data: object }>(
      `SELECT type, data FROM dashboard.account_events WHERE account_id = $1 AND type LIKE 'paymaster.%' ORDER BY number`,
      [owner.accountId],
    );
    expect(heard).toEqual([
      { type: 'paymaster.suspended', data: { paymasterId, reason: REASON, version: expect.any(Number) } },
      { type: 'paymaster.resumed', data: { paymasterId, version: expect.any(Number) } },
    ]);
  });

  it.each([
    ['an empty reason', ' ', 'reason must be 1 to 300 characters long'],
    ['a reason that is too long', 'x'.repeat(301), 'reason must be 1 to 300 characters long'],
    ['a reason with control characters', 'a\nb', 'reason must not contain control characters'],
    ['no text', 5, 'reason must be a string'],
  ])('is refused for %s, and changes nothing', async (_what, reason, message) => {
    expect(await suspend(reason)).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 1 });
  });

  it.each([randomUUID(), 'x'])('is refused for %s, which is no paymaster’s id', async (id) => {
    for (const [action, body] of [['suspend', { reason: 'a' }], ['resume']] as [string, object?][]) {
      const answer = await asOperator('POST', `/paymaster/${id}/${action}`, body);
      expect(answer).toMatchObject({ status: 404, body: refusal(404, 'USER_NOT_FOUND', 'User not found') });
    }
  });
});

describe('tenants', () => {
  interface Shown {
    readonly accountId: string;
    readonly paymasters: readonly object[];
    readonly funds: readonly { readonly spendableWei: string | null }[];
  }
  const tenantsOf = async (search: string) => {
    const { data } = (await asOperator('GET', `/tenants?search=${encodeURIComponent(search)}`)).body;
    return (data as unknown as { tenants: readonly Shown[] }).tenants;
  };
  const fundsOf = async (search: string) => (await tenantsOf(search))[0]?.funds ?? [];

  it('are found by the id of a paymaster, with what tells them apart and nothing else', async () => {
    await suspend();
    const tenants = await tenantsOf(paymasterId.toUpperCase());
    expect(tenants).toEqual([
      {
        ...{ accountId: owner.accountId, name: expect.any(String), createdAt: expect.any(String), members: 1 },
        paymasters: [
          {
            ...{ paymasterId, name: expect.any(String), chainId: CHAIN_ID, archivedAt: null, lastUsedAt: null },
            suspension: { reason: REASON, since: expect.stringMatching(/Z$/) },
          },
        ],
        funds: [{ ...NOTHING, chainId: CHAIN_ID, spendableWei: '0' }],
      },
    ]);
  });

  describe('with funding wallets', () => {
    const link = (of: string, wallet: string) =>
      query('UPDATE dashboard.paymasters SET funding_wallet = $2 WHERE id = $1', [of, wallet]);
    const spend = (of: string, wei: bigint, age: string, { spentUsd = 0, receivedUsd = 0, unrecorded = 0 } = {}) =>
      query(
        `INSERT INTO dashboard.usage_hours (paymaster_id, hour, spent_wei, spent_usd, received_usd, unpriced, unrecorded)
         VALUES ($1, now() - $2::interval, $3, $4, $5, 1, $6)`,
        [of, age, wei, spentUsd, receivedUsd, unrecorded],
      );
    const further = async (): Promise<string> => {
      const { authToken } = keys;
      const made = await dashboard.call({ method: 'POST', path: '/paymaster', authToken, body: paymasterBody() });
      return paymasterIdOf(dashboard, { apiKey: String(made.body.data?.['apiKey']) });
    };

    it('say what these can spend, each wallet once, and what their paymasters spent in 30 days', async () => {
      const [second, third] = [await further(), await further()];
      const [shared, own] = [randomAddress(), randomAddress()];
      await link(paymasterId, shared);
      await link(second, shared);
      await link(third, own);
      await asOwner('POST', `/paymaster/${paymasterId}/archive`);
      await asOperator('POST', `/paymaster/${second}/suspend`, { reason: REASON });
      await spend(paymasterId, 2n ** 96n, '1 hour', { spentUsd: 0.1, receivedUsd: 0.25 });
      await spend(second, 5n, '29 days', { spentUsd: 1e-12, unrecorded: 3 });
      await spend(third, 7n, '31 days', { spentUsd: 9 });
      const asked: unknown[] = [];
      const answering = startAnsweringGateway(dashboard, {
        wallets: ({ wallets }) => {
          asked.push(wallets);
          return Promise.resolve(wallets.map(({ wallet }) => (wallet === own ? `${2n ** 90n}` : '1')));
        },
      });
      try {
        await until(async () => (await fundsOf(second))[0]?.spendableWei !== null);
        expect(await fundsOf(second)).toEqual([
          {
            ...{ chainId: CHAIN_ID, spendableWei: `${2n ** 90n + 1n}`, spentWei: `${2n ** 96n + 5n}` },
            ...{ spentUsd: '0.100000000001', receivedUsd: '0.25', netUsd: '-0.149999999999' },
            ...{ unpriced: 2, unrecorded: 3 },
          },
        ]);
        expect(asked.at(-1)).toEqual([shared, own].map((wallet) => ({ chainId: CHAIN_ID, wallet })));
      } finally {
        await answering.close();
      }
    });

    it.each([
      ['no gateway answers', undefined],
      ['a gateway cannot read the books of the chain', [null]],
      ['a gateway answers about fewer wallets', []],
    ])('do not say what these can spend while %s', async (_when, answer) => {
      await link(paymasterId, randomAddress());
      await spend(paymasterId, 5n, '1 hour');
      let isAsked = answer === undefined;
      const answering =
        answer &&
        startAnsweringGateway(dashboard, {
          wallets: () => {
            isAsked = true;
            return Promise.resolve(answer);
          },
        });
      try {
        const expected = [{ ...NOTHING, chainId: CHAIN_ID, spendableWei: null, spentWei: '5', unpriced: 1 }];
        await until(async () => {
          expect(await fundsOf(paymasterId)).toEqual(expected);
          return isAsked;
        });
      } finally {
        await answering?.close();
      }
    });

    it('are asked for in questions of few wallets', async () => {
      await query(
        `INSERT INTO dashboard.paymasters
         SELECT made.* FROM dashboard.paymasters p, generate_series(1, 260) n,
           jsonb_populate_record(NULL::dashboard.paymasters, to_jsonb(p) || jsonb_build_object(
             'id', gen_random_uuid(), 'name', p.id || ' ' || n, 'funding_wallet', '0x' || lpad(to_hex(n), 40, '0'),
             'api_key_index', encode(sha256((p.id || ' ' || n)::bytea), 'hex'))) made
          WHERE p.id = $1`,
        [paymasterId],
      );
      const answering = startAnsweringGateway(dashboard, {
        wallets: ({ wallets }) => {
          if (wallets.length > MAX_ASKED_WALLETS) throw new Error('too many');
          return Promise.resolve(wallets.map(() => '1'));
        },
      });
      try {
        await until(async () => (await fundsOf(paymasterId))[0]?.spendableWei === '260');
      } finally {
        await answering.close();
      }
    });
  });

  it('say when a paymaster was used last', async () => {
    await query(
      `INSERT INTO dashboard.operations (id, paymaster_id, chain_id, state, mode, sender, nonce, entry_point_version,
                                         created_at, updated_at)
       SELECT gen_random_uuid(), $1, $2, 'refused', 'sponsored', '0x' || repeat('ab', 20), 1, '0.7', at, at
         FROM (VALUES ('2026-01-01T00:00:00Z'::timestamptz), ('2026-02-01T00:00:00Z')) AS t (at)`,
      [paymasterId, CHAIN_ID],
    );
    expect(await tenantsOf(paymasterId)).toMatchObject([{ paymasters: [{ lastUsedAt: '2026-02-01T00:00:00.000Z' }] }]);
  });

  it('are listed page by page, each once', async () => {
    const prefix = randomUUID();
    await query(
      `INSERT INTO dashboard.accounts (id, name) SELECT gen_random_uuid(), $1 || n FROM generate_series(1, 45) n`,
      [prefix],
    );
    const names: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await asOperator('GET', `/tenants?search=${prefix}${cursor && `&cursor=${cursor}`}`);
      const { tenants, nextCursor } = page.body.data as unknown as {
        tenants: { name: string }[];
        nextCursor: string | null;
      };
      expect(tenants.length).toBeLessThanOrEqual(20);
      names.push(...tenants.map(({ name }) => name));
      cursor = nextCursor;
    }
    expect(new Set(names).size).toBe(45);
    expect(names).toHaveLength(45);
  });

  it('read of 10,000 accounts and hours of use only what they show', async () => {
    await query(
      `INSERT INTO dashboard.accounts (id, name, created_at)
       SELECT gen_random_uuid(), $1 || n, now() - n * interval '1 minute' FROM generate_series(1, 10000) n`,
      [randomUUID()],
    );
    await query(
      `INSERT INTO dashboard.usage_hours (paymaster_id, hour, spent_wei)
       SELECT CASE WHEN n % 4 = 0 THEN $1::uuid ELSE gen_random_uuid() END, now() - n * interval '1 hour', 1
         FROM generate_series(1, 10000) n`,
      [paymasterId],
    );
    await query('ANALYZE dashboard.accounts, dashboard.usage_hours');
    const tables = /^(accounts|usage_hours)$/;
    const plans = await plansOf(databaseOf(dashboard), () => asOperator('GET', '/tenants'), tables);
    expect(plans).toHaveLength(1);
    expect(plans.flatMap((plan) => wideReads(plan, 720, tables))).toEqual([]);
  });

  it('are none for what nothing is called', async () => {
    expect(await tenantsOf('%')).toEqual([]);
  });

  it.each([
    ['?search=', 'search must be 1 to 100 characters long'],
    ['?search=%00', 'search must be 1 to 100 characters long'],
    ['?cursor=x', 'cursor must be one that was answered'],
    ['?other=1', 'the query parameter "other" is not known'],
  ])('refuse %s', async (suffix, message) => {
    const answer = await asOperator('GET', `/tenants${suffix}`);
    expect(answer).toMatchObject({ status: 400, body: { message } });
  });
});

describe('chains', () => {
  interface State {
    readonly contracts: readonly object[];
    readonly gateway: object | null;
  }
  const stateOf = async (): Promise<State | undefined> =>
    ((await asOperator('GET', '/chains')).body.data as unknown as State[])[0];
  const contract = {
    version: '0.7',
    entryPoint: CANONICAL_ENTRY_POINTS['0.7'].toLowerCase(),
    paymaster: PLATFORM_PAYMASTER,
  };

  it('are shown without a gateway when none answers, and without the deposit when the chain does not', async () => {
    const chain = await stateOf();
    expect(chain).toMatchObject({ chainId: CHAIN_ID, gateway: null });
    expect(chain?.contracts).toEqual([{ ...contract, depositWei: null, stakeWei: null }]);
  });

  it('are shown with the deposit and the stake that the EntryPoint says', async () => {
    await contracts.code(DEPOSIT_OF_7_STAKE_OF_9, CANONICAL_ENTRY_POINTS['0.7']);
    expect((await stateOf())?.contracts).toEqual([{ ...contract, depositWei: '7', stakeWei: '9' }]);
  });

  it('are shown as a gateway knows them', async () => {
    const answering = startAnsweringGateway({ natsUrl: dashboard.natsUrl });
    try {
      await until(async () => (await stateOf())?.gateway !== null);
      expect((await stateOf())?.gateway).toMatchObject({
        ...{ head: { blockNumber: '77' }, books: { lagSeconds: 2 }, providers: [{ host: 'rpc.example', isUp: true }] },
        signers: [{ name: 'first', contracts: [{ isAccepted: false, activeFrom: '2027-01-15T08:00:00.000Z' }] }],
      });
    } finally {
      await answering.close();
    }
  });
});
