import { setTimeout as sleep } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { AUTH_TOKEN } from '../crypto/secret-text';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { contractBody, COUNTER_ABI, createPaymaster, paymasterBody } from '../../testing/requests';

let dashboard: DashboardUnderTest;
afterEach(async () => {
  jest.restoreAllMocks();
  await dashboard.stop();
});

/** Even if the requests take long, the bucket gets no token back meanwhile. */
function stopTheClock(): void {
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
}

describe('limits', () => {
  it('refuse one contract or one paymaster too many, also when requests arrive at the same time', async () => {
    dashboard = await startDashboard({ env: { MAX_CONTRACTS_PER_PAYMASTER: '3', MAX_PAYMASTERS_PER_ACCOUNT: '3' } });
    const keys = await createPaymaster(dashboard);
    const add = (path: string, body: object) => dashboard.call({ method: 'POST', path, ...keys, body });

    const contracts = await Promise.all(Array.from({ length: 8 }, () => add('/smart-contract', contractBody())));
    const paymasters = await Promise.all(Array.from({ length: 8 }, () => add('/paymaster', paymasterBody())));
    expect(contracts.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(paymasters.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(contracts.find(({ status }) => status !== 200)?.body).toEqual({
      statusCode: 400,
      message: 'A paymaster can have at most 3 smart contracts',
    });
    expect(paymasters.find(({ status }) => status !== 200)?.body).toEqual({
      statusCode: 400,
      message: 'An account can have at most 3 paymasters',
    });
  });

  it('refuse whitelists that pass the selectors of a paymaster, and leave it as it was', async () => {
    dashboard = await startDashboard({ env: { MAX_SELECTORS_PER_PAYMASTER: '3' } });
    const keys = await createPaymaster(dashboard);
    const send = (method: 'POST' | 'PATCH', body: object) =>
      dashboard.call({ method, path: '/smart-contract', ...keys, body });
    const refusal = {
      statusCode: 400,
      message: 'whitelistedMethods: a paymaster can whitelist at most 3 method selectors over all its smart contracts',
    };

    const first = contractBody();
    expect((await send('POST', first)).status).toBe(200);
    const both = await Promise.all(
      [0, 1].map(() => send('POST', { ...contractBody(), whitelistedMethods: ['count', 'add'] })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(both.find(({ status }) => status === 400)?.body).toEqual(refusal);

    const { address } = first;
    expect((await send('PATCH', { address, whitelistedMethods: ['count', 'add'] })).body).toEqual(refusal);
    expect((await send('PATCH', { address, whitelistedMethods: ['add'] })).status).toBe(200);
    const list = await dashboard.call({ method: 'GET', path: '/smart-contract', ...keys });
    expect(list.body.data).toMatchObject([
      { address, whitelistedMethods: ['add'] },
      { whitelistedMethods: ['count', 'add'] },
    ]);
  });

  it('refuse ABI texts that pass the bytes of a paymaster together', async () => {
    dashboard = await startDashboard({ env: { MAX_ABI_BYTES_PER_PAYMASTER: '1024' } });
    const keys = await createPaymaster(dashboard);
    const add = (abi: string) =>
      dashboard.call({ method: 'POST', path: '/smart-contract', ...keys, body: { ...contractBody(), abi } });
    expect((await add(COUNTER_ABI.padEnd(1_024 - COUNTER_ABI.length))).status).toBe(200);
    expect((await add(COUNTER_ABI)).status).toBe(200);
    expect((await add(COUNTER_ABI)).body).toEqual({
      statusCode: 400,
      message: 'abi: a paymaster can have at most 1024 bytes of ABI over all its smart contracts',
    });
  });

  it('answer 429 with Retry-After to a token that sends too much, and let others go on', async () => {
    dashboard = await startDashboard({ env: { RATE_LIMIT_PER_TOKEN_PER_MINUTE: '5' } });
    const [greedy, modest] = [await dashboard.createToken('greedy'), await dashboard.createToken('modest')];
    stopTheClock();
    const list = (authToken: string) => dashboard.call({ method: 'GET', path: '/paymaster', authToken });
    for (let sent = 0; sent < 5; sent++) expect((await list(greedy)).status).toBe(200);
    const refused = await list(greedy);
    expect(refused.body).toEqual({ statusCode: 429, message: 'Too many requests' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await list(modest)).status).toBe(200);
  });

  it('count made-up tokens against their address, and let the accounts behind it go on', async () => {
    dashboard = await startDashboard({ env: { RATE_LIMIT_PER_TOKEN_PER_MINUTE: '5' } });
    const [known, late] = [await dashboard.createToken('known'), await dashboard.createToken('late')];
    stopTheClock();
    const list = (authToken: string) => dashboard.call({ method: 'GET', path: '/paymaster', authToken });
    expect((await list(known)).status).toBe(200);
    const guesses: number[] = [];
    for (let sent = 0; sent < 6; sent++) guesses.push((await list(AUTH_TOKEN.generate())).status);
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await list(known)).status).toBe(200);
    expect((await list(late)).status).toBe(429);
  });

  describe('count made-up tokens against the address', () => {
    /** @param forwardedFor the header `X-Forwarded-For`, as a proxy sends it or a client invents it */
    const guess = async (forwardedFor: string): Promise<number> => {
      const { statusCode } = await dashboard.app.inject({
        method: 'GET',
        url: '/api/v2/public/sdk/paymaster',
        headers: { authtoken: AUTH_TOKEN.generate(), 'x-forwarded-for': forwardedFor },
      });
      return statusCode;
    };
    let made = 0;
    const madeUp = () => `10.0.0.${++made}`;
    const guesses = async (forwardedFor: () => string): Promise<number[]> => {
      const answers: number[] = [];
      for (let sent = 0; sent < 6; sent++) answers.push(await guess(forwardedFor()));
      return answers;
    };

    it('of the connection, if no proxy is trusted, whatever address the client claims', async () => {
      dashboard = await startDashboard({ env: { RATE_LIMIT_PER_TOKEN_PER_MINUTE: '5' } });
      stopTheClock();
      expect(await guesses(madeUp)).toEqual([401, 401, 401, 401, 401, 429]);
    });

    it('that the trusted proxy saw, whatever the client wrote into the header', async () => {
      const env = { RATE_LIMIT_PER_TOKEN_PER_MINUTE: '5', TRUSTED_PROXIES: '1' };
      dashboard = await startDashboard({ env });
      stopTheClock();
      expect(await guesses(() => `${madeUp()}, 198.51.100.7`)).toEqual([401, 401, 401, 401, 401, 429]);
      expect(await guess(`${madeUp()}, 198.51.100.8`)).toBe(401);
    });
  });

  it('let a funding message expire', async () => {
    dashboard = await startDashboard({ env: { FUNDING_MESSAGE_TTL_SECONDS: '1' } });
    const keys = await createPaymaster(dashboard);
    const wallet = Wallet.createRandom();
    const { data } = (await dashboard.call({ method: 'GET', path: '/funding-message', ...keys })).body;
    const signature = await wallet.signMessage(String(data?.['fundingMessage']));
    await sleep(1_100);
    const body = { paymasterId: data?.['paymasterId'], type: 'paymasterFundingId', signature, address: wallet.address };
    const answer = await dashboard.call({ method: 'PATCH', path: '/paymaster', ...keys, body });
    expect(answer.body).toEqual({ statusCode: 400, message: 'Invalid signature' });
  });

  it('register one name on two chains', async () => {
    dashboard = await startDashboard();
    const { authToken } = await createPaymaster(dashboard);
    const body = paymasterBody();
    const create = (chainId: number) =>
      dashboard.call({ method: 'POST', path: '/paymaster', authToken, body: { ...body, chainId } });
    expect((await create(body.chainId)).status).toBe(200);
    expect((await create(body.chainId + 1)).status).toBe(200);
  });
});

describe('a copy of the database', () => {
  it('holds neither an authToken nor an API key', async () => {
    dashboard = await startDashboard();
    const { authToken, apiKey } = await createPaymaster(dashboard);
    const database = databaseOf(dashboard);
    const tables: Array<{ name: string }> = await database.query(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'dashboard'`,
    );
    let dump = '';
    for (const { name } of tables) dump += JSON.stringify(await database.query(`SELECT * FROM dashboard.${name}`));
    expect(dump).toContain('HYBRID');
    for (const secret of [authToken, authToken.slice(8, 51), apiKey, ...apiKey.split('.')]) {
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
    }
  });
});
