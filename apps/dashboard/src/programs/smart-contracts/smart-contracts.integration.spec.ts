import { startAnvil, type Anvil } from '@paymaster/devnet';
import { randomAddress } from '@paymaster/domain/testing';
import { CHAIN_ID, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { DevContracts } from '../../testing/dev-contracts';
import { contractBody, COUNTER_ABI, createPaymaster, type Keys } from '../../testing/requests';

const REGISTERED = { statusCode: 200, message: 'Smart contract registered successfully' };
/** Of EIP-55; the other one differs in the case of its letters. */
const [RIGHT, WRONG] = ['0xe31B0BcBda693Bff2529F4A1d9f7E8f6D924c6aB', '0xE31b0BcBda693bfF2529F4a1d9f7e8f6D924C6Ab'];

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

const send = (method: 'POST' | 'PATCH', path: string, body: object) => dashboard.call({ method, path, ...keys, body });
const create = (changes: object) => send('POST', '/smart-contract', { ...contractBody(), ...changes });
const list = async () =>
  (await dashboard.call({ method: 'GET', path: '/smart-contract', ...keys })).body.data as unknown as object[];

describe('GET smart-contract', () => {
  it('leaves the ABIs out where it is asked to, and has them else', async () => {
    const { abi, ...contract } = contractBody();
    await create({ ...contract, abi });
    const of = async (query: string) =>
      (await dashboard.call({ method: 'GET', path: `/smart-contract${query}`, ...keys })).body.data;
    expect(await of('?abi=false')).toMatchObject([{ ...contract, abi: '' }]);
    expect([await of('?abi=true'), await of('')]).toMatchObject([[{ ...contract, abi }], [{ ...contract, abi }]]);
  });
});

describe('POST smart-contract', () => {
  it('says nothing more of an address with a contract, and warns of one without', async () => {
    expect((await create({ address: await contracts.token() })).body).toEqual(REGISTERED);
    const address = randomAddress();
    expect((await create({ address })).body).toEqual({
      ...REGISTERED,
      warnings: [`There is no contract at ${address} on local now: check the address and the chain`],
    });
  });

  it('warns of nothing when the chain cannot be read', async () => {
    const dark = await startDashboard();
    const body = contractBody();
    const answer = await dark.call({ method: 'POST', path: '/smart-contract', ...(await createPaymaster(dark)), body });
    await dark.stop();
    expect(answer.body).toEqual(REGISTERED);
  });

  it('refuses an address in mixed case with a wrong checksum, and takes every other case', async () => {
    const message = 'address has a wrong checksum (EIP-55): check its digits, or send it in lower case';
    const wrong = await create({ address: WRONG });
    expect([wrong.status, wrong.body]).toEqual([400, { statusCode: 400, message }]);
    for (const address of [RIGHT, RIGHT!.toLowerCase(), `0x${RIGHT!.slice(2).toUpperCase()}`]) {
      keys = await createPaymaster(dashboard);
      expect((await create({ address })).status).toBe(200);
      const body = { address: WRONG, whitelistedMethods: [] };
      expect((await send('PATCH', '/smart-contract', body)).body.data).toMatchObject({ address: RIGHT!.toLowerCase() });
    }
  });

  it.each<[string, unknown, string]>([
    ['text', ` ${COUNTER_ABI}`, ` ${COUNTER_ABI}`],
    ['a list', JSON.parse(COUNTER_ABI), COUNTER_ABI],
    ['a file of Hardhat', { _format: 'hh-sol-artifact-1', abi: JSON.parse(COUNTER_ABI), bytecode: '0x' }, COUNTER_ABI],
    ['a file of Foundry', foundryFile(), COUNTER_ABI],
    ['the text of a file of Foundry', JSON.stringify(foundryFile(), null, 2), indented(2)],
    ['an answer of Etherscan', { status: '1', message: 'OK', result: COUNTER_ABI }, COUNTER_ABI],
    ['the text of that answer', JSON.stringify({ status: '1', message: 'OK', result: COUNTER_ABI }), COUNTER_ABI],
  ])('takes an ABI as %s, and returns it as text', async (_title, abi, kept) => {
    const whitelistedMethods = ['add(uint)', 'count'];
    expect((await create({ abi, whitelistedMethods })).status).toBe(200);
    expect(await list()).toMatchObject([{ abi: kept, whitelistedMethods, methods: ['count', 'add'] }]);
  });

  it.each<[string, unknown, string]>([
    ['a number', 7, 'abi must be a string'],
    ['an object without an ABI', {}, 'abi must be a JSON array, or a file of Hardhat, Foundry or Etherscan'],
    ['a list of texts', ['count()'], 'abi: item 0 is not an object'],
  ])('refuses %s as ABI', async (_title, abi, message) => {
    const { status, body } = await create({ abi, whitelistedMethods: [] });
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

/** It has a key for each method, and more keys than a body may have. */
function foundryFile(): object {
  const methodIdentifiers = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`method${at}()`, '00000000']));
  return { abi: JSON.parse(COUNTER_ABI) as unknown, bytecode: { object: '0x' }, methodIdentifiers, id: 3 };
}

/** As it stands in a file that is indented. */
function indented(spaces: number): string {
  return JSON.stringify({ abi: JSON.parse(COUNTER_ABI) as unknown }, null, spaces).slice('{\n  "abi": '.length, -2);
}
