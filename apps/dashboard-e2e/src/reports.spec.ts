import { readStack } from '@paymaster/devnet';
import { Wallet } from 'ethers';
import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import { expectRefusal, freshPaymaster, fundingMessage, only, type Keys } from './support/fixtures';
import { limitBody } from './support/policies';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let keys: Keys;
beforeAll(async () => {
  keys = only(await freshPaymaster((await freshAccount()).authToken));
});

const get = (path: string) => call({ method: 'GET', path, ...keys });
const backTest = (body: object) => call({ method: 'POST', path: '/paymaster-policy/back-test', ...keys, body });

/** What owners are shown of operations and money; that it is right is tested where operations are sponsored. */
describe('the reports of a paymaster without operations', () => {
  it('list none, on one page', async () => {
    const answer = await get('/operation?state=settled&limit=200&from=2026-01-01&to=2026-01-31T12:00:00Z');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Operations fetched',
      data: { operations: [], nextCursor: null },
    });
  });

  it.each([UNKNOWN_ID, 'x', '%00', '%27%20OR%201=1--'])('show no operation %s', async (id) => {
    expectRefusal(await get(`/operation/${id}`), 404, 'Operation not found');
  });

  it('export the header of a CSV file', async () => {
    const { authToken, apiKey } = keys;
    const url = `${readStack().dashboard}/api/v2/public/sdk/operation/export.csv`;
    const answer = await fetch(url, { headers: { authToken, apiKey } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="operations.csv"');
    expect(await answer.text()).toMatch(/^id,createdAt,updatedAt,state,[A-Za-z,]+\r\n$/);
  });

  it('have no use', async () => {
    const answer = await get('/usage?interval=day&from=2026-01-01&to=2026-01-31');
    expect(answer.body).toEqual({ statusCode: 200, message: 'Usage fetched', data: [] });
  });

  it('show what a draft would have refused: nothing', async () => {
    const { policyType, policyData } = limitBody();
    const answer = await backTest({ policyType, policyData, from: '2024-01-01' });
    expect(answer.body).toEqual({
      statusCode: 200,
      message: 'Back-test done',
      data: { operations: 0, refused: 0, refusedByReason: {}, senders: [], notEvaluated: [] },
    });
  });

  it('show a funding wallet only once there is one, then with nothing in it', async () => {
    const own = only(await freshPaymaster(keys.authToken));
    const report = async () => (await call({ method: 'GET', path: '/funding-wallet', ...own })).body;
    const { chainId, paymasters } = readStack();
    const message = 'Funding wallet fetched';
    expect(await report()).toEqual({
      statusCode: 200,
      message,
      data: { chainId, fundingWallet: null, accounts: [], nearNetworks: [] },
    });

    const wallet = Wallet.createRandom();
    const { fundingMessage: text, paymasterId } = await fundingMessage(own);
    const signature = await wallet.signMessage(text);
    const body = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address };
    await call({ method: 'PATCH', path: '/paymaster', ...own, body });

    const nothing = {
      balanceWei: '0',
      requestedWei: '0',
      withdrawableAt: null,
      spendableWei: '0',
      spentPerDayWei: '0',
      runwayHours: null,
      stoppedAt: null,
    };
    const accounts = Object.entries(paymasters).map(([entryPointVersion, contract]) => ({
      ...{ entryPointVersion, contract: contract.toLowerCase(), ...nothing },
    }));
    const data = { chainId, fundingWallet: wallet.address.toLowerCase(), accounts, nearNetworks: [] };
    expect(await report()).toEqual({ statusCode: 200, message, data });
  });
});

describe('the reports refuse', () => {
  it.each<[string, RegExp | string]>([
    ['/operation?state=lost', /^state must be one of /],
    ['/operation?reason=why', 'reason must be an error reason'],
    ['/operation?sender=0x12', 'sender must be an address'],
    ['/operation?userOpHash=0x12', 'userOpHash must be 0x and 64 hex digits'],
    ['/operation?limit=0', 'limit must be from 1 to 200'],
    ['/operation?limit=201', 'limit must be from 1 to 200'],
    ['/operation?limit=ten', 'limit must be a whole number'],
    ['/operation?limit=1&limit=2', 'limit must be a whole number'],
    ['/operation?cursor=x', 'cursor must be one that was answered'],
    ['/operation?from=yesterday', /^from must be a time in UTC/],
    ['/operation?to=2026-13-01', /^to must be a time in UTC/],
    ['/operation?from=2026-01-02&to=2026-01-01', 'from must be before to'],
    ['/operation?sort=asc', 'the query parameter "sort" is not known'],
    ['/operation/export.csv?limit=1', 'the query parameter "limit" is not known'],
    ['/operation/export.csv?state=lost', /^state must be one of /],
    ['/usage?interval=minute', 'interval must be hour or day'],
    ['/usage?from=2020-01-01&to=2026-01-01', 'from and to must be at most 2000 points apart'],
    ['/usage?state=settled', 'the query parameter "state" is not known'],
  ])('%s', async (path, sentence) => {
    const message = typeof sentence === 'string' ? sentence : (expect.stringMatching(sentence) as string);
    expectRefusal(await get(path), 400, message);
  });

  it.each<[string, object, RegExp]>([
    ['of a kind that asks somebody else', { policyType: 'WEBHOOK' }, /^policyType must be one of/],
    ['without data', { policyData: undefined }, /^policyData must be an object/],
    ['with data nobody knows', { policyData: { what: 1 } }, /^policyData/],
    ['without a start', { from: undefined }, /^from must be a string/],
    ['from a day there is not', { from: '2024-02-31x' }, /^from must be a time in UTC/],
    ['that ends before it starts', { to: '2023-01-01' }, /^from must be before to/],
  ])('to try a draft %s', async (_title, change, sentence) => {
    const answer = await backTest({ policyType: 'RULES', policyData: {}, from: '2024-01-01', ...change });
    expectRefusal(answer, 400, expect.stringMatching(sentence) as string);
  });
});
