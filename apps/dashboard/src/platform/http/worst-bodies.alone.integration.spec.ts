import { fairnessOf, type Attacker, type PreparedRequest } from '@paymaster/devnet';
import { randomAddress } from '@paymaster/domain/testing';
import { CHAIN_ID, databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { contractBody, createPaymaster, paymasterIdOf, type Keys } from '../../testing/requests';

const SDK = '/api/v2/public/sdk';
const MIB = 1_048_576;
/** People who use the page do not notice less. Two customers who read 8 MiB of ABIs all the time cost others 50 to 110 ms. */
const UNNOTICED_MS = 100;

let dashboard: DashboardUnderTest;
let keys: Keys;
beforeAll(async () => {
  dashboard = await startDashboard();
  keys = await createPaymaster(dashboard);
});
afterAll(() => dashboard.stop());

/** A request with its body, if it has one. */
type Asked = readonly [method: string, path: string, body?: string];
type Sent = readonly [method: 'POST' | 'PATCH', path: string, body: string];
const send = async ([method, path, payload]: Sent, { authToken, apiKey }: Partial<Keys> = keys) => {
  const headers = { 'content-type': 'application/json', ...(authToken && { authToken }), ...(apiKey && { apiKey }) };
  const answer = await dashboard.app.inject({ method, url: SDK + path, headers, payload });
  return { status: answer.statusCode, message: answer.json<{ message: string }>().message };
};

const json = JSON.stringify;
/** A list of about that many bytes that repeats one item. */
const listOf = (item: string, bytes = MIB - 1_000): string =>
  `[${`${item},`.repeat(bytes / (item.length + 1))}${item}]`;
const differentKeys = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":1`).join()}}`;
const abiOf = (functions: number): string =>
  json(
    Array.from({ length: functions }, (_, at) => ({
      type: 'function',
      name: `f${at}`,
      inputs: Array.from({ length: 5 }, () => ({ name: 'a', type: 'uint256' })),
      outputs: [],
      stateMutability: 'nonpayable',
    })),
  );
const ofPaymaster = (more: object): string =>
  json({ name: 'a', type: 'HYBRID', chainId: 31337, version: '1.1.0', ...more });
const ofContract = (more: object): string => json({ ...contractBody(), ...more });
/** Combining marks that NFC has to sort; its time grows with the square of their number. */
const MARKS = `a${'\u0301'.repeat(100_000)}${'\u0323'.repeat(100_000)}`;

const WORST: ReadonlyArray<readonly [what: string, sent: Sent, message: string]> = [
  ['60,000 keys', ['PATCH', '/paymaster-settings', differentKeys(60_000)], 'The body must not have more than 100 keys'],
  [
    'one key again and again',
    ['PATCH', '/paymaster-settings', `{${'"a":1,'.repeat(100_000)}"a":1}`],
    'The body must not have more than 100 keys',
  ],
  [
    '90,000 empty policies',
    ['POST', '/paymaster-policy/import', `{"formatVersion":1,"policies":${listOf('{}', 270_000)}}`],
    'policies must not have more than 2000 items',
  ],
  [
    '2,000 empty policies',
    ['POST', '/paymaster-policy/import', `{"formatVersion":1,"policies":${listOf('{}', 5_900)}}`],
    'policies must contain no more than 50 elements',
  ],
  [
    '2,000 empty contracts',
    ['POST', '/paymaster-policy/import', `{"formatVersion":1,"policies":[],"contracts":${listOf('{}', 5_900)}}`],
    'A paymaster can have at most 200 smart contracts',
  ],
  [
    '2,000 empty rules',
    [
      'POST',
      '/paymaster-policy',
      `{"name":"a","policyType":"RULES","policyData":{"arguments":${listOf('{}', 5_900)}}}`,
    ],
    'policyData: arguments must contain no more than 50 elements',
  ],
  [
    '350,000 origins',
    ['PATCH', '/paymaster-settings', `{"allowedOrigins":${listOf('""')}}`],
    'allowedOrigins must not have more than 2000 items',
  ],
  [
    'lists in lists',
    [
      'POST',
      '/paymaster-policy',
      `{"name":"a","policyType":"RULES","policyData":{"a":${listOf(listOf('0', 3_900), 800_000)}}}`,
    ],
    'The body must not have more than 20000 values',
  ],
  [
    'objects in lists',
    [
      'POST',
      '/paymaster-policy',
      `{"name":"a","policyType":"RULES","policyData":{"a":${listOf(listOf('{}', 2_900), 800_000)}}}`,
    ],
    'The body must not have more than 2400 objects and lists',
  ],
  [
    'objects of all kinds',
    ['POST', '/paymaster', `[${Array.from({ length: 1_000 }, (_, at) => `{"a${at}":1,"b${at}":1}`).join()}]`],
    'The body must not have more than 200 different keys',
  ],
  ['half a million levels', ['POST', '/paymaster', '['.repeat(MIB / 2)], 'The body is nested too deeply'],
  [
    'a name of 200,000 marks',
    ['POST', '/paymaster', ofPaymaster({ name: MARKS })],
    'name must be 1 to 100 characters long',
  ],
  [
    'a name of marks without a width',
    ['POST', '/paymaster', ofPaymaster({ name: `a${'\uFE0F'.repeat(300_000)}` })],
    'name must be 1 to 100 characters long',
  ],
  [
    'a policy’s name of 200,000 marks',
    ['POST', '/paymaster-policy/import', json({ formatVersion: 1, policies: [{ name: MARKS }] })],
    'policies.0: name must be 1 to 100 characters long',
  ],
  [
    'a number of a million digits',
    ['POST', '/paymaster', ofPaymaster({}).replace('31337', '9'.repeat(1_000_000))],
    'chainId must be an integer number',
  ],
  [
    'an ABI of 45,000 keys',
    ['POST', '/smart-contract', ofContract({ abi: `[${differentKeys(45_000)}]` })],
    'abi must not have more than 64 different keys',
  ],
  ['an ABI of 260,000 levels', ['POST', '/smart-contract', ofContract({ abi: '['.repeat(260_000) })], 'abi is nested'],
  [
    'an ABI of 170,000 items',
    ['POST', '/smart-contract', ofContract({ abi: listOf('{}', 520_000) })],
    'abi must not have more than 2000 items',
  ],
  [
    'an ABI of 170,000 objects in lists',
    ['POST', '/smart-contract', ofContract({ abi: listOf(listOf('{}', 5_900), 500_000) })],
    'abi must not have more than 20164 objects and lists',
  ],
];

/**
 * Processor time of each body, in milliseconds: the shortest of three tries, because other work uses the processor too.
 */
async function costsOf(bodies: ReadonlyArray<() => Sent>): Promise<number[]> {
  const costs = bodies.map(() => Infinity);
  for (let tries = 0; tries < 3; tries++) {
    for (const [at, body] of bodies.entries()) {
      const sent = body();
      // Large bodies of one account wait for each other.
      const customer = await createPaymaster(dashboard);
      const before = process.cpuUsage();
      await send(sent, customer);
      const { user, system } = process.cpuUsage(before);
      costs[at] = Math.min(costs[at]!, (user + system) / 1_000);
    }
  }
  return costs;
}

describe('the worst bodies of a customer', () => {
  it.each(WORST)('%s: are refused by name', async (_what, sent, message) => {
    const answer = await send(sent, await createPaymaster(dashboard));
    expect(answer).toEqual({ status: 400, message: expect.stringContaining(message) });
  });

  it('take no longer than an ABI that is allowed', async () => {
    const allowed = (): Sent => ['POST', '/smart-contract', ofContract({ abi: abiOf(2_000) })];
    const [most = 0, ...costs] = await costsOf([
      allowed,
      ...WORST.map(
        ([, sent]) =>
          () =>
            sent,
      ),
    ]);
    expect(WORST.filter((_worst, at) => costs[at]! > most).map(([what]) => what)).toEqual([]);
  });

  it('are not parsed when the caller is unknown', async () => {
    const sent: Sent = ['POST', '/paymaster', '['.repeat(MIB / 2)];
    expect(await send(sent, {})).toEqual({ status: 401, message: 'Auth token is required in the headers' });
  });
});

describe('the largest bodies that make sense', () => {
  it('register a contract of 2,000 functions, all of them whitelisted', async () => {
    const other = await createPaymaster(dashboard);
    const whitelistedMethods = Array.from({ length: 2_000 }, (_, at) => `f${at}`);
    const body = ofContract({ abi: abiOf(2_000).padEnd(512 * 1_024), whitelistedMethods }).padEnd(MIB);
    expect(body).toHaveLength(MIB);
    expect(await send(['POST', '/smart-contract', body], other)).toMatchObject({ status: 200 });
  });

  it('import 200 contracts with 10,000 methods and 50 policies', async () => {
    const other = await createPaymaster(dashboard);
    const whitelistedMethods = Array.from({ length: 50 }, (_, at) => `f${at}`);
    const abi = json(whitelistedMethods.map((name) => ({ type: 'function', name, inputs: [{ type: 'uint' }] })));
    const document = {
      formatVersion: 1,
      policies: Array.from({ length: 50 }, (_, at) => ({
        name: `policy ${at}`,
        policyType: 'RULES',
        policyData: { senders: { deny: Array.from({ length: 30 }, () => randomAddress()) } },
      })),
      contracts: Array.from({ length: 200 }, (_, at) => ({
        ...contractBody(),
        name: `contract ${at}`,
        abi,
        whitelistedMethods,
      })),
    };
    const asSent: Sent = ['POST', '/paymaster-policy/import', json(document)];
    expect(asSent[2].length).toBeGreaterThan(800_000);
    expect(await send(asSent, other)).toMatchObject({ status: 200 });
  });
});

describe('two customers who ask for all they can', () => {
  const OPERATION = {
    // As much as 60 lines and 64 targets.
    trace: Array.from({ length: 124 }, () => ({ rule: 'methodsWhitelisted', input: 'a'.repeat(70), outcome: 'pass' })),
    targets: [{ to: randomAddress(), selector: '0xd09de08a', valueWei: '0' }],
  };
  const BACK_TEST = json({
    policyType: 'RULES',
    policyData: { limits: [{ scope: 'USER', measure: 'COUNT', amount: '2', cycle: 'DAY' }] },
    from: '2024-03-01',
  });
  let origin: string;
  beforeAll(async () => {
    await dashboard.app.listen(0, '127.0.0.1');
    origin = await dashboard.app.getUrl();
  });

  const ofContracts = (more: object): string => json({ formatVersion: 1, policies: [], ...more });
  const prepared = ({ authToken, apiKey }: Keys, [method, path, body]: Asked): PreparedRequest => ({
    ...{ method, path: SDK + path, body },
    headers: { authToken, apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
  });

  /** Registers sixteen contracts with the largest ABIs. @returns the entries by which an import document keeps them */
  async function fill(customer: Keys): Promise<object[]> {
    const { abi, ...first } = { ...contractBody(), abi: abiOf(2_000).padEnd(512 * 1_024), whitelistedMethods: ['f1'] };
    expect(await send(['POST', '/smart-contract', json({ ...first, abi })], customer)).toMatchObject({ status: 200 });
    const others = Array.from({ length: 15 }, () => ({ ...first, name: randomAddress(), address: randomAddress() }));
    const database = databaseOf(dashboard);
    for (const { name, address } of others) {
      await database.query(
        `INSERT INTO dashboard.smart_contracts
           SELECT made.* FROM dashboard.smart_contracts c, jsonb_populate_record(c, jsonb_build_object(
             'id', gen_random_uuid(), 'name', $2::text, 'address', $3::text)) made
            WHERE c.address = $1`,
        [first.address, name, address],
      );
    }
    return [first, ...others];
  }

  /** Without triggers, which count each row of a transaction again for the next, for what nothing here reads. */
  async function sponsorMuch(customer: Keys): Promise<void> {
    const paymasterId = await paymasterIdOf(dashboard, customer);
    await databaseOf(dashboard).transaction(async (manager) => {
      await manager.query(`SET LOCAL session_replication_role = replica`);
      await manager.query(
        `INSERT INTO dashboard.operations (id, paymaster_id, chain_id, state, mode, sender, nonce, entry_point_version,
                                           expected_cost_wei, trace, targets, created_at, updated_at)
         SELECT gen_random_uuid(), $1, $2, 'settled', 'sponsored', '0x' || lpad(n::text, 40, '0'), n, '0.7', 5, $3, $4,
                '2024-03-01T12:00:00Z'::timestamptz + n * interval '1 ms', now()
           FROM generate_series(1, 3000) n`,
        [paymasterId, CHAIN_ID, json(OPERATION.trace), json(OPERATION.targets)],
      );
    });
  }

  it.each<[string, (customer: Keys) => Promise<Asked[]>]>([
    ['bodies that are refused', async () => [WORST[0]![1], WORST[2]![1], WORST[8]![1], WORST[11]![1]]],
    [
      'contracts of 2,000 functions',
      async () => [['POST', '/smart-contract', ofContract({ abi: abiOf(2_000), whitelistedMethods: [] })]],
    ],
    [
      'their methods',
      async (customer) => {
        const [first] = (await fill(customer)) as [{ address: string }];
        return [['PATCH', '/smart-contract', json({ address: first.address, whitelistedMethods: ['f1'] })]];
      },
    ],
    [
      'imports that keep 8 MiB of ABIs',
      async (customer) => [['POST', '/paymaster-policy/import', ofContracts({ contracts: await fill(customer) })]],
    ],
    [
      'lists of 8 MiB of ABIs',
      async (customer) => {
        await fill(customer);
        return [
          ['GET', '/smart-contract'],
          ['GET', '/paymaster-policy/export'],
        ];
      },
    ],
    [
      'operations with long traces',
      async (customer) => {
        await sponsorMuch(customer);
        return [
          ['GET', '/operation?limit=200'],
          ['GET', '/operation/export.csv'],
          ['POST', '/paymaster-policy/back-test', BACK_TEST],
        ];
      },
    ],
  ])('hold up no one else: %s', async (_what, of) => {
    const customers = [await createPaymaster(dashboard), await createPaymaster(dashboard)];
    const attackers: Attacker[] = [];
    for (const customer of customers) {
      const requests = (await of(customer)).map((asked) => prepared(customer, asked));
      attackers.push(...requests.map((_request, first) => ({ requests: [...requests.slice(first), ...requests] })));
    }
    const honest = [
      prepared(keys, ['PATCH', '/paymaster-settings', '{"sponsorAnyContract":true}']),
      prepared(keys, ['GET', '/paymaster-policy']),
    ];
    const { refused, timesAsLong, ...seen } = await fairnessOf({
      ...{ origin, honest, attackers, most: 2, unnoticedMs: UNNOTICED_MS },
    });
    expect({ refused: refused.slice(0, 3), heldUp: timesAsLong > 2 && seen }).toEqual({ refused: [], heldUp: false });
    expect(Object.values(seen.attacked).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(attackers.length);
  });
});
