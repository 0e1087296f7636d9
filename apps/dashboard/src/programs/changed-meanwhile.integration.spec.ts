import { startAnvil, type Anvil } from '@paymaster/devnet';
import { CHAIN_ID, startDashboard, type DashboardUnderTest, type TestAnswer } from '../testing/dashboard-under-test';
import { DevContracts } from '../testing/dev-contracts';
import { contractBody, createPaymaster, refusal, type Keys } from '../testing/requests';

let anvil: Anvil;
let contracts: DevContracts;
let dashboard: DashboardUnderTest;
let keys: Keys;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
  dashboard = await startDashboard({ chainRpcUrl: anvil.url });
});
beforeEach(async () => (keys = await createPaymaster(dashboard)));
afterAll(async () => {
  await dashboard.stop();
  contracts.stop();
  await anvil.stop();
});

const send = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<TestAnswer> =>
  dashboard.call({ method, path, ...keys, body });

/** Something that two people edit: its field, what is stored of it, what each of them makes of it, and how it is saved. */
interface Edited {
  readonly field: string;
  readonly stored: unknown;
  readonly made: readonly [unknown, unknown];
  readonly save: (change: object) => Promise<TestAnswer>;
}

const EDITED: Readonly<Record<string, () => Promise<Edited>>> = {
  'the settings': () =>
    Promise.resolve({
      ...{ field: 'servers', stored: [], made: [['203.0.113.7'], ['203.0.113.8', '203.0.113.9']] },
      save: (change) => send('PATCH', '/paymaster-settings', change),
    }),
  'a token': async () => {
    const address = await contracts.token({ symbol: 'USDx', decimals: 6 });
    await send('POST', '/token', { address, price: { fixedUsd: '1' } });
    const price = { feed: null, apiId: null, coinFeed: null };
    return {
      ...{ field: 'price', stored: { ...price, fixedUsd: '1' } },
      made: [
        { ...price, fixedUsd: '1.01' },
        { ...price, fixedUsd: '0.99' },
      ],
      save: (change) => send('PATCH', '/token', { ...change, address }),
    };
  },
  'a named key': async () => {
    const { body } = await send('POST', '/keys', { name: 'web', kind: 'PUBLISHABLE' });
    const limit = (amount: string) => [{ scope: 'KEY', measure: 'COUNT', amount, cycle: 'DAY' }];
    return {
      ...{ field: 'limits', stored: null, made: [limit('1'), limit('2')] },
      save: (change) => send('PATCH', `/keys/${String(body.data?.['keyId'])}`, change),
    };
  },
  'the methods of a contract': async () => {
    const contract = contractBody();
    await send('POST', '/smart-contract', contract);
    return {
      ...{ field: 'whitelistedMethods', stored: ['count'], made: [['count', 'add'], []] },
      save: (change) => send('PATCH', '/smart-contract', { ...change, address: contract.address }),
    };
  },
};
/** A row of the interface document: its refusals have two fields. */
const OF_INTERFACE = 'the methods of a contract';

describe.each(Object.entries(EDITED))('of two who save %s at once', (what, make) => {
  const said = (field: string) => `expected is not what is stored: somebody has changed ${field} meanwhile`;
  const conflict = (field: string) =>
    what === OF_INTERFACE ? { statusCode: 409, message: said(field) } : refusal(409, 'CHANGED_MEANWHILE', said(field));

  it('one is let through, and the other is told; with what is stored now he may save over it', async () => {
    const { field, stored, made, save } = await make();
    const answers = await Promise.all(made.map((value) => save({ [field]: value, expected: { [field]: stored } })));
    const [winner, loser] = answers[0]?.status === 200 ? [0, 1] : [1, 0];
    expect(answers[winner]?.body.data).toMatchObject({ [field]: made[winner] });
    expect([answers[loser]?.status, answers[loser]?.body]).toEqual([409, conflict(field)]);
    const again = await save({ [field]: made[loser], expected: { [field]: made[winner] } });
    expect(again.body.data).toMatchObject({ [field]: made[loser] });
  });

  it('both are let through where neither says what he read', async () => {
    const { field, made, save } = await make();
    const answers = await Promise.all(made.map((value) => save({ [field]: value })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('who expects what he does not change, or nothing that can be compared, is refused by its name', async () => {
    const { field, made, save } = await make();
    const refused = await save({ [field]: made[0], expected: { other: 1 } });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'expected has other, which the request does not change',
    ]);
    for (const expected of ['text', null, []]) {
      const { status, body } = await save({ [field]: made[0], expected });
      expect([status, body.message]).toEqual([400, 'expected must be an object']);
    }
  });
});

it('two who change different settings do not hinder each other', async () => {
  const answers = await Promise.all([
    send('PATCH', '/paymaster-settings', { explainToClients: true, expected: { explainToClients: false } }),
    send('PATCH', '/paymaster-settings', { tokenMode: 'off', expected: { tokenMode: 'anyCall' } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await send('GET', '/paymaster-settings')).body.data).toMatchObject({
    explainToClients: true,
    tokenMode: 'off',
  });
});
