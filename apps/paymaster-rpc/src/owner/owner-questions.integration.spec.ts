import { DEV_KEYS } from '@paymaster/devnet';
import {
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  ZERO_ADDRESS,
  type Address,
  type Hex,
  type SpendingLimit,
} from '@paymaster/domain';
import { limitPolicyBuilder, randomAddress, rulesPolicyBuilder, until } from '@paymaster/domain/testing';
import {
  apiKeyIndex,
  GatewayClient,
  MAX_ASKED_WALLETS,
  MessageAuthenticator,
  toPolicyMessage,
} from '@paymaster/messaging';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { randomApiKey } from '../testing/api-key';
import { call, executeCall, sponsoredMode, wireOperationV07 } from '../testing/rpc-call';
import { startTokenWorld, type TokenWorld } from '../testing/token-world';

const CHAIN_ID = 31337;
let world: TokenWorld;
let client: GatewayClient;
let indexKey: string;
let callData: Hex;

beforeAll(async () => {
  world = await startTokenWorld();
  indexKey = world.app.get(PaymasterRpcConfig, { strict: false }).apiKeyIndexKey;
  callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  const nats = { natsUrl: world.broker.current.url };
  client = new GatewayClient({ nats, name: 'dashboard', authenticator: new MessageAuthenticator(indexKey) });
  client.start();
  await until(() => client.ask('prices', of(randomApiKey()), 'r').then(() => true, () => false), 'a gateway answers'); // prettier-ignore
});
afterAll(async () => {
  await client?.close();
  await world?.stop();
});

const of = (apiKey: string) => ({ chainId: CHAIN_ID, apiKeyIndex: apiKeyIndex(apiKey, indexKey) });
const explain = (apiKey: string, userOperation: object, entryPoint?: string) =>
  client.ask('explain', { ...of(apiKey), userOperation, ...(entryPoint && { entryPoint }) }, 'r');

describe('explaining to an owner', () => {
  it('says that an operation would be sponsored, with the rules, though clients are told nothing', async () => {
    const { apiKey, snapshot } = world.newPaymaster();
    expect(snapshot.settings.explainToClients).toBe(false);
    const explanation = await explain(apiKey, wireOperationV07(callData));
    expect(explanation).toMatchObject({ sponsored: true, gasLimits: { callGasLimit: '100000' } });
    expect(explanation.trace).toContainEqual(expect.objectContaining({ outcome: 'pass' }));
    const { address, callData: data } = world.demo;
    const demoCall = { to: address.toLowerCase(), valueWei: '0', selector: data.slice(0, 10), data };
    expect(explanation.calls).toEqual([demoCall]);
    const { paymasterId } = snapshot;
    expect(await world.ledger.rows('SELECT FROM ledger.reservations WHERE paymaster_id = $1', [paymasterId])).toEqual(
      [],
    );
  });

  it('says why it would be refused', async () => {
    const { apiKey } = world.newPaymaster({ contracts: [] });
    const explanation = await explain(apiKey, wireOperationV07(callData));
    expect(explanation).toMatchObject({ sponsored: false, reason: expect.any(String), policyId: null });
    expect(explanation.trace).toContainEqual(expect.objectContaining({ outcome: 'refuse' }));
    expect(explanation.calls).toHaveLength(1);
  });

  it('names no calls where the account’s call data is not understood', async () => {
    const { apiKey } = world.newPaymaster();
    expect(await explain(apiKey, wireOperationV07('0xdeadbeef'))).toMatchObject({ sponsored: false, calls: null });
  });

  it('says so of a paymaster that gateways do not know', async () => {
    expect(await explain(randomApiKey(), wireOperationV07(callData))).toMatchObject({
      ...{ sponsored: false, reason: 'INVALID_API_KEY', trace: [] },
    });
  });

  it.each([
    ['callData', { callData: '0x1' }, 'userOperation.callData'],
    ['sender', { sender: 'me' }, 'userOperation.sender'],
    ['nonce', { nonce: undefined }, 'userOperation lacks nonce'],
  ])('names a wrong %s as the owner sent it', async (_name, changes, sentence) => {
    const { apiKey } = world.newPaymaster();
    await expect(explain(apiKey, wireOperationV07(callData, changes))).rejects.toThrow(sentence);
  });

  it('names an EntryPoint that is not served', async () => {
    const { apiKey } = world.newPaymaster();
    await expect(explain(apiKey, wireOperationV07(callData), randomAddress())).rejects.toThrow('entryPoint');
  });
});

describe('limits in use', () => {
  const limit = (changes: Partial<SpendingLimit>): SpendingLimit => ({
    ...{ id: 'l1', scope: 'USER', measure: 'COUNT', amount: 5n, cycle: 'DAY', ...changes },
  });

  it('are what was signed in the current window, per user and over all', async () => {
    const limits = [limit({}), limit({ id: 'l2', scope: 'PAYMASTER', cycle: 'LIFETIME', amount: 9n })];
    const policy = rulesPolicyBuilder().build();
    const rules = { ...policy.rules, limits };
    const cycle = limitPolicyBuilder().build();
    const { apiKey, snapshot } = world.newPaymaster({ policies: [{ ...policy, rules }, cycle] });
    const { paymasterId } = snapshot;
    const operation = wireOperationV07(callData);
    const url = `${world.url}/api/v2/${CHAIN_ID}/${apiKey}`;
    const answer = await call(url, 'pm_sponsorUserOperation', [operation, sponsoredMode()]);
    expect(answer.json.error).toBeUndefined();

    const asked = { chainId: CHAIN_ID, paymasterId, policy: toPolicyMessage({ ...policy, rules }) };
    const sender = String(operation['sender']);
    const [perUser, overAll] = await client.ask('limits', { ...asked, sender }, 'r');
    expect(perUser).toMatchObject({ perUser: true, unit: 'count', amount: '5', used: '1' });
    expect((perUser?.resetsAtSeconds ?? 0) % 86_400).toBe(0);
    expect(overAll).toMatchObject({ perUser: false, unit: 'count', amount: '9', used: '1', resetsAtSeconds: null });
    const [ofNobody] = await client.ask('limits', asked, 'r');
    expect(ofNobody).toMatchObject({ perUser: true, used: null });
    const [ofAnother] = await client.ask('limits', { ...asked, sender: randomAddress() }, 'r');
    expect(ofAnother).toMatchObject({ used: '0' });

    const ofCycle = { chainId: CHAIN_ID, paymasterId, policy: toPolicyMessage(cycle), sender };
    const [inCycle] = await client.ask('limits', ofCycle, 'r');
    expect(inCycle).toMatchObject({ amount: cycle.type === 'PAYMASTER_SA_LIMIT' && `${cycle.limit.threshold}` });
    expect(inCycle?.used).not.toBe('0');
  });

  it('are none for a policy without limits', async () => {
    const policy = { policyId: '6a9ac2c6-6d0c-4f0e-8f1e-6f0a3f6a9f00', name: 'n', type: 'WALLET_DEPLOYMENT' } as const;
    const asked = { chainId: CHAIN_ID, paymasterId: '6a9ac2c6-6d0c-4f0e-8f1e-6f0a3f6a9f01', policy };
    expect(await client.ask('limits', asked, 'r')).toEqual([]);
  });
});

describe('prices', () => {
  it('come from memory, with their sources and what the wallet may lose', async () => {
    const { apiKey, snapshot } = world.newPaymaster();
    const token = world.tokens.USDx;
    const wallet = snapshot.fundingWallet ?? ZERO_ADDRESS;
    const key = `exposure:${CHAIN_ID}:${wallet}:token:${token.address}`;
    await world.ledger.rows(
      `INSERT INTO ledger.budgets (key, paymaster_id, live, limit_amount, policy_version, spent, reserved)
       VALUES ($1, $2, false, 100, 1, 7, 5)`,
      [key, snapshot.paymasterId],
    );
    await world.setPrice('USDx', '0.97');
    const { nativeUsd, tokens } = await client.ask('prices', of(apiKey), 'r');
    expect(Number(nativeUsd)).toBeGreaterThan(0);
    expect(tokens.find(({ address }) => address === token.address)).toMatchObject({
      ...{ symbol: 'USDx', usd: '0.97', problem: null, sources: ['feed'], leftOut: [], exposedWei: '12' },
      ...{ exposureCapWei: '50000000000000000', ageSeconds: expect.any(Number), premiumMillionths: expect.any(Number) },
    });
  });

  it('say why there is no price', async () => {
    const { apiKey } = world.newPaymaster();
    await world.setPrice('DAIx', '1', 10_000_000);
    const { tokens } = await client.ask('prices', of(apiKey), 'r');
    expect(tokens.find(({ symbol }) => symbol === 'DAIx')).toMatchObject({
      ...{ usd: null, problem: expect.any(String), leftOut: ['feed'] },
    });
  });

  it('are none for a paymaster that gateways do not know', async () => {
    expect(await client.ask('prices', of(randomApiKey()), 'r')).toEqual({ nativeUsd: null, tokens: [] });
  });
});

describe('chains', () => {
  it('are told as this gateway knows them: providers by their hosts, signers by what contracts say of them', async () => {
    const [chain, ...others] = await client.ask('chains', {}, 'r');
    expect(others).toEqual([]);
    expect(chain).toMatchObject({
      ...{ chainId: CHAIN_ID, head: { blockNumber: expect.stringMatching(/^\d+$/), ageSeconds: expect.any(Number) } },
      books: { lagSeconds: expect.any(Number), haltedReason: null },
    });
    const { host } = new URL(world.node.url);
    expect(chain?.providers).toContainEqual(
      expect.objectContaining({ host, use: 'chain', isUp: true, calls: { answered: expect.any(Number), failed: 0 } }),
    );
    expect(JSON.stringify(chain)).not.toContain('http');
    const contracts = ENTRY_POINT_VERSIONS.map((version) => ({ version, isAccepted: true, activeFromSeconds: null }));
    const address = normalizeAddress(DEV_KEYS.signer.address);
    expect(chain?.signers).toEqual([expect.objectContaining({ address, isUp: true, downBecause: null, contracts })]);
  });
});

describe('wallets', () => {
  const ask = (wallets: { chainId: number; wallet: Address }[]) => client.ask('wallets', { wallets }, 'r');

  it('are told with what they can spend in all contracts of their chain', async () => {
    const wallet = randomAddress();
    const contracts = ENTRY_POINT_VERSIONS.map((version) => normalizeAddress(world.paymasters[version]));
    await world.ledger.rows(
      `INSERT INTO ledger.wallets (chain_id, contract, wallet, balance_wei, requested_wei, spendable_wei, held_wei)
       SELECT $1, contract, $2, 10, 3, 7, 2 FROM unnest($3::text[]) contract`,
      [CHAIN_ID, wallet, contracts],
    );
    const asked = [randomAddress(), wallet].map((each) => ({ chainId: CHAIN_ID, wallet: each }));
    expect(await ask([...asked, { chainId: 1, wallet }])).toEqual(['0', String(7 * contracts.length), null]);
  });

  it('are not known while the books of their chain are halted', async () => {
    const wallets = [{ chainId: CHAIN_ID, wallet: randomAddress() }];
    const halt = (reason: string | null) =>
      world.ledger.rows('UPDATE ledger.cursors SET halted_reason = $2 WHERE chain_id = $1', [CHAIN_ID, reason]);
    await halt('a test');
    try {
      expect(await ask(wallets)).toEqual([null]);
    } finally {
      await halt(null);
    }
  });

  it('are refused when they are too many', async () => {
    const wallets = Array.from({ length: MAX_ASKED_WALLETS + 1 }, () => ({ chainId: 1, wallet: ZERO_ADDRESS }));
    await expect(ask(wallets)).rejects.toThrow(`wallets must be at most ${MAX_ASKED_WALLETS}`);
  });
});
