import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DependencyUnavailableError, type PolicySnapshot } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import {
  apiKeyIndex,
  fromMessage,
  MAX_POLICY_NEWS,
  MessageAuthenticator,
  SUBJECTS,
  type KnownPolicy,
} from '@paymaster/messaging';
import { Wallet } from 'ethers';
import { connect } from 'nats';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import {
  CHAIN_ID,
  databaseOf,
  INDEX_KEY,
  startDashboard,
  type DashboardUnderTest,
} from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { contractBody, createPaymaster, type Keys } from '../../testing/requests';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';

let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
beforeAll(async () => {
  dashboard = await startDashboard({ ownPostgres: true });
  gateway = await ListeningGateway.connect(dashboard);
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
});

const resolve = (apiKey: string, chainId = CHAIN_ID): Promise<PolicySnapshot | undefined> =>
  gateway.resolve(apiKey, chainId);

async function change(keys: Keys, method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object): Promise<void> {
  expect((await dashboard.call({ method, path, ...keys, body })).status).toBe(200);
}

describe('the news of policies', () => {
  const sql = (text: string, values: unknown[] = []) => databaseOf(dashboard).query(text, values);
  const step = `UPDATE dashboard.paymasters SET policy_version = policy_version + 1 WHERE id = $1`;
  const newPaymaster = async () => {
    const keys = await createPaymaster(dashboard);
    return { keys, paymasterId: (await resolve(keys.apiKey))?.paymasterId ?? '' };
  };

  it('name what changed since a number, each policy once, whoever changed it', async () => {
    const [one, other] = [await newPaymaster(), await newPaymaster()];
    const { number, ...rest } = await gateway.news();
    expect(rest).toEqual({});
    expect(await gateway.news(number)).toEqual({ number, changed: [] });

    for (const path of ['/smart-contract', '/smart-contract']) await change(one.keys, 'POST', path, contractBody());
    // A dashboard of the version that numbers no changes.
    await sql(step, [other.paymasterId]);
    const { changed, ...next } = await gateway.news(number);
    expect(next).toEqual({ number: number + 3 });
    expect(new Map(changed?.map(({ paymasterId, version }) => [paymasterId, version]))).toEqual(
      new Map([[one.paymasterId, 3], [other.paymasterId, 2]]), // prettier-ignore
    );
    expect(changed).toHaveLength(2);
    expect((await gateway.news(number + 2)).changed).toEqual([{ paymasterId: other.paymasterId, version: 2 }]);
    expect((await gateway.news(number + 3)).changed).toEqual([]);
  });

  it('tell that something is missing where the number is none of this database, or too much changed', async () => {
    const { number } = await gateway.news();
    expect(await gateway.news(number + 1)).toEqual({ number });
    const many = `INSERT INTO dashboard.policy_changes SELECT gen_random_uuid(), 1, -n FROM generate_series(1, $1) n`;
    await sql(many, [MAX_POLICY_NEWS]);
    const first = -MAX_POLICY_NEWS - 1;
    await sql('DELETE FROM dashboard.policy_changes WHERE number >= 0');
    expect((await gateway.news(first)).changed).toHaveLength(MAX_POLICY_NEWS);
    await newPaymaster().then(({ paymasterId }) => sql(step, [paymasterId]));
    expect(await gateway.news(first)).toEqual({ number: number + 1 });
  });

  it('name no number before all changes with lower numbers can be read', async () => {
    const [slow, quick] = [await newPaymaster(), await newPaymaster()];
    const { number } = await gateway.news();
    const { manager, commit } = await beginChange(slow.paymasterId);
    // The slow change has its number, and is not committed.
    await manager.query('SET CONSTRAINTS ALL IMMEDIATE');
    let isDone = false;
    const quickly = change(quick.keys, 'POST', '/smart-contract', contractBody()).then(() => (isDone = true));
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'COMMIT%'`;
    await until(async () => ((await sql(waits)) as object[]).length === 1);
    expect([isDone, await gateway.news(number)]).toEqual([false, { number, changed: [] }]);

    await commit();
    await quickly;
    const { changed } = await gateway.news(number);
    expect(changed?.map(({ paymasterId }) => paymasterId).sort()).toEqual([slow.paymasterId, quick.paymasterId].sort());
  });

  it('keep no change waiting for another that takes long', async () => {
    const [slow, quick] = [await newPaymaster(), await newPaymaster()];
    const { number } = await gateway.news();
    const { commit } = await beginChange(slow.paymasterId);
    await change(quick.keys, 'POST', '/smart-contract', contractBody());
    expect((await gateway.news(number)).changed).toEqual([{ paymasterId: quick.paymasterId, version: 2 }]);
    await commit();
    expect((await gateway.news(number + 1)).changed).toEqual([{ paymasterId: slow.paymasterId, version: 2 }]);
  });

  async function beginChange(paymasterId: string) {
    const runner = databaseOf(dashboard).createQueryRunner();
    await runner.startTransaction();
    await runner.query(step, [paymasterId]);
    const commit = async () => {
      await runner.commitTransaction();
      await runner.release();
    };
    return { manager: runner.manager, commit };
  }
});

describe('the policy of an API key', () => {
  it('has the selectors of the whitelisted methods and the default settings', async () => {
    const keys = await createPaymaster(dashboard);
    const contract = contractBody();
    await change(keys, 'POST', '/smart-contract', contract);
    expect(await resolve(keys.apiKey)).toMatchObject({
      version: 2,
      chainId: CHAIN_ID,
      fundingWallet: null,
      contracts: [{ address: contract.address, selectors: ['0x06661abd'] }],
      settings: { sponsorAnyContract: false, maxOperationCostWei: null },
    });
  });

  it('is answered with one log line, which has the request id and nothing of the key', async () => {
    const { apiKey } = await createPaymaster(dashboard);
    const log = jest.spyOn(Logger.prototype, 'log');
    try {
      await resolve(apiKey);
      await resolve('unknown');
      expect(log.mock.calls).toEqual([
        [{ requestId: 'test', chainId: CHAIN_ID, found: true }, 'a policy was resolved'],
        [{ requestId: 'test', chainId: CHAIN_ID, found: false }, 'a policy was resolved'],
      ]);
    } finally {
      log.mockRestore();
    }
  });

  it('has the custom errors of all its contracts, each once, those of the oldest contract first', async () => {
    const keys = await createPaymaster(dashboard);
    const register = (errors: readonly string[]) => {
      const items = errors.map((name) => ({ type: 'error', name, inputs: [{ type: 'uint256', name: 'wanted' }] }));
      const { abi, ...contract } = contractBody();
      return change(keys, 'POST', '/smart-contract', {
        ...contract,
        abi: JSON.stringify([...(JSON.parse(abi) as object[]), ...items]),
      });
    };
    const known = async () => (await resolve(keys.apiKey))?.contractErrors.map(({ signature }) => signature);
    await register([]);
    expect(await known()).toEqual([]);
    await register(['Zeta', 'Beta']);
    await register(['Beta', 'Alpha']);
    const [beta, zeta, alpha] = ['Beta', 'Zeta', 'Alpha'].map((name) => `${name}(uint256 wanted)`);
    expect(await known()).toEqual(expect.arrayContaining([beta, zeta]));
    expect((await known())?.indexOf(alpha!)).toBe(2);

    for (const at of [0, 1]) await register(Array.from({ length: 100 }, (_, index) => `E${at}x${index}`));
    expect(await known()).toHaveLength(200);
  });

  it('is not found under another chain, nor for an unknown key', async () => {
    const { apiKey } = await createPaymaster(dashboard);
    expect(await resolve(apiKey, CHAIN_ID + 1)).toBeUndefined();
    expect(await resolve('unknown')).toBeUndefined();
  });

  it('is not repeated to a gateway that has it, and only to that one', async () => {
    const keys = await createPaymaster(dashboard);
    const { paymasterId = '', version = 0 } = (await resolve(keys.apiKey)) ?? {};
    expect(await gateway.confirm(keys.apiKey, { paymasterId, version })).toBe('unchanged');
    expect(await gateway.confirm(keys.apiKey, { paymasterId, version: version + 1 })).toMatchObject({ version });
    expect(await gateway.confirm(keys.apiKey, { paymasterId: 'another', version })).toMatchObject({ paymasterId });
    expect(await gateway.confirm('unknown', { paymasterId, version })).toBeUndefined();

    await change(keys, 'POST', '/smart-contract', contractBody());
    expect(await gateway.confirm(keys.apiKey, { paymasterId, version })).toMatchObject({ version: version + 1 });
  });

  it('gets a higher version with every write, and every write is broadcast after it can be read', async () => {
    const keys = await createPaymaster(dashboard);
    const { paymasterId = '' } = (await resolve(keys.apiKey)) ?? {};
    const heard = () => gateway.versionsHeardOf(paymasterId);
    const { address, ...contract } = contractBody();

    await change(keys, 'POST', '/smart-contract', { address, ...contract });
    await change(keys, 'PATCH', '/smart-contract', { address, whitelistedMethods: ['add'] });
    await change(keys, 'PATCH', '/paymaster-settings', { maxOperationCostWei: (2n ** 200n).toString() });
    const wallet = Wallet.createRandom();
    const issued = await dashboard.call({ method: 'GET', path: '/funding-message', ...keys });
    const signature = await wallet.signMessage(String(issued.body.data?.['fundingMessage']));
    const linked = { paymasterId, type: 'paymasterFundingId', signature, address: wallet.address };
    await change(keys, 'PATCH', '/paymaster', linked);

    await until(() => heard().length === 4);
    expect(heard()).toEqual([2, 3, 4, 5]);
    expect(await resolve(keys.apiKey)).toMatchObject({
      version: 5,
      fundingWallet: wallet.address.toLowerCase(),
      contracts: [{ address, selectors: ['0x1003e2d2'] }],
      settings: { maxOperationCostWei: 2n ** 200n },
    });

    await change(keys, 'DELETE', '/smart-contract', { address });
    await until(() => heard().length === 5);
    expect(await resolve(keys.apiKey)).toMatchObject({ version: 6, contracts: [] });
  });

  it('keeps its version when a write is refused', async () => {
    const keys = await createPaymaster(dashboard);
    const contract = contractBody();
    await change(keys, 'POST', '/smart-contract', contract);
    const again = await dashboard.call({ method: 'POST', path: '/smart-contract', ...keys, body: contract });
    expect(again.body.message).toBe('Smart contract address already exists');
    expect(await resolve(keys.apiKey)).toMatchObject({ version: 2 });
  });

  it('loses no change when several settings are changed at once', async () => {
    const keys = await createPaymaster(dashboard);
    const switches = ['sponsorAnyContract', 'sponsorNativeTransfers', 'allowUnknownFactories', 'explainToClients'];
    await Promise.all(switches.map((name) => change(keys, 'PATCH', '/paymaster-settings', { [name]: true })));
    const { settings } = (await resolve(keys.apiKey)) ?? {};
    expect(settings).toMatchObject(Object.fromEntries(switches.map((name) => [name, true])));
  });

  it('is not looked up for a gateway that has given up', async () => {
    const { apiKey } = await createPaymaster(dashboard);
    const snapshots = dashboard.app.get(PolicySnapshotsRepository);
    const { databasePoolSize } = dashboard.app.get(DashboardConfig);
    let letGo: () => void = () => undefined;
    const held = new Promise<null>((resolve) => (letGo = () => resolve(null)));
    const find = jest.spyOn(snapshots, 'find').mockReturnValue(held);
    const patienceMs = 300;
    const hurried = await ListeningGateway.listen(dashboard, patienceMs);
    try {
      const reading = Array.from({ length: databasePoolSize }, (_, index) => resolve(`unknown ${index}`));
      await until(() => find.mock.calls.length === databasePoolSize);
      await expect(hurried.resolve(apiKey)).rejects.toThrow(DependencyUnavailableError);
      // What is said is how much time is left, so it is over that much after it was heard, which may be late.
      for (const waitMs of [patienceMs, 10 * patienceMs]) await sleep(waitMs);
      letGo();
      expect(await Promise.all(reading)).toEqual(reading.map(() => undefined));
      // Its turn came before this one's.
      await resolve('one more');
      // On a busy machine, questions of the others are asked more than once.
      const indexes = find.mock.calls.flatMap(([key]) => key.indexes);
      expect(indexes).toContain(apiKeyIndex('one more', INDEX_KEY));
      expect(indexes).not.toContain(apiKeyIndex(apiKey, INDEX_KEY));
    } finally {
      letGo();
      find.mockRestore();
      await hurried.close();
    }
  });

  it('says which keys end only by a change of their paymaster: current ones, and not those that were replaced', async () => {
    const keys = await createPaymaster(dashboard);
    const own = { ...keys, method: 'POST', body: {} } as const;
    const named = await dashboard.call({ ...own, path: '/keys', body: { name: 'page', kind: 'PUBLISHABLE' } });
    const { keyId, apiKey: text } = named.body.data as { keyId: string; apiKey: string };
    expect([await gateway.isLasting(keys.apiKey), await gateway.isLasting(text)]).toEqual([true, true]);

    const again = await dashboard.call({ ...own, path: `/keys/${keyId}/rotate` });
    const next = await dashboard.call({ ...own, path: '/paymaster/rotate-key' });
    expect([await gateway.isLasting(keys.apiKey), await gateway.isLasting(text)]).toEqual([false, false]);
    const current = [again, next].map(({ body }) => String(body.data?.['apiKey']));
    expect([await gateway.isLasting(current[0]!), await gateway.isLasting(current[1]!)]).toEqual([true, true]);
  });

  it('is read by a gateway of the version that asks about each copy by itself', async () => {
    const { apiKey } = await createPaymaster(dashboard);
    const { paymasterId = '', version = 0 } = (await resolve(apiKey)) ?? {};
    const nats = await connect({ servers: dashboard.natsUrl });
    const asked = {
      chainId: CHAIN_ID,
      apiKeyIndex: apiKeyIndex(apiKey, INDEX_KEY),
      namedKeys: true,
      suspensions: true,
    };
    const ask = async (known?: KnownPolicy) => {
      const data = { ...asked, nonce: 'ab'.repeat(16), ...(known && { known }) };
      const question = JSON.stringify({ pattern: SUBJECTS.policyResolve, id: data.nonce, data });
      const { response } = (await nats.request(SUBJECTS.policyResolve, question)).json<{ response: unknown }>();
      const body = new MessageAuthenticator(INDEX_KEY).openReply(data, response);
      return JSON.parse(body ?? 'null') as { found: boolean; snapshot?: unknown; unchanged?: unknown };
    };
    try {
      expect(fromMessage((await ask()).snapshot, CHAIN_ID)).toEqual(await resolve(apiKey));
      expect((await ask({ paymasterId, version })).unchanged).toEqual({ paymasterId, version });
    } finally {
      await nats.close();
    }
  });

  it('is unavailable, not unknown, while Postgres is down; news are too', async () => {
    const { apiKey } = await createPaymaster(dashboard);
    await dashboard.postgres.stop();
    await expect(resolve(apiKey)).rejects.toThrow(DependencyUnavailableError);
    await expect(gateway.news()).rejects.toThrow(DependencyUnavailableError);
  });
});

describe('a service that starts without NATS', () => {
  let own: DashboardUnderTest;
  let late: ListeningGateway | undefined;
  beforeAll(async () => (own = await startDashboard({ nats: false })));
  afterAll(async () => {
    await late?.close();
    await own.stop();
  });

  it('serves REST, says so on /health, and answers gateways when NATS is there', async () => {
    const keys = await createPaymaster(own);
    const created = await own.call({ method: 'POST', path: '/smart-contract', ...keys, body: contractBody() });
    expect(created.status).toBe(200);
    expect((await own.app.inject('/health/ready')).statusCode).toBe(200);
    const health = await own.app.inject('/health');
    expect(health.json()).toMatchObject({ status: 'degraded', checks: { nats: { status: 'down' } } });

    await own.startNats();
    late = await ListeningGateway.connect(own);
    expect(await late.resolve(keys.apiKey)).toMatchObject({ version: 2 });
  });
});
