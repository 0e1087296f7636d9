import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { lies, lyingProxy } from '@paymaster/chain/testing';
import {
  connectDevChain,
  deployCanonicalContracts,
  deployDemoContract,
  deployPaymasters,
  DEV_KEYS,
  fundingBalanceWei,
  startAnvil,
} from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_PAYMASTER_SETTINGS,
  normalizeAddress,
  type Address,
  type Hex,
  type PolicySnapshot,
  type SponsorshipPolicy,
} from '@paymaster/domain';
import { randomAddress, rulesPolicyBuilder, sharedLimitsBuilder, until } from '@paymaster/domain/testing';
import { seedChain, seedWallet } from '@paymaster/ledger/testing';
import { SignJWT } from 'jose';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV07 } from '../testing/rpc-call';

type SharedLimits = Extract<SponsorshipPolicy, { type: 'SPENDING_LIMITS' }>;
type SharedLimit = SharedLimits['limits'][number];

const E18 = 10n ** 18n;
const [HERE, THERE] = [31337, 31338];
const wallet = normalizeAddress(DEV_KEYS.fundingWallet.address);
/** Of a coin, in USD. */
const PRICES: Readonly<Record<number, bigint>> = { [HERE]: 3_000n, [THERE]: 500n };
const pricing = (chainId: number) => ({ pricing: { native: { fixedUsd: String(PRICES[chainId]) } } });
// All requests come from one address.
const liveSignatureCaps = { perSender: 1_000, perClient: 10_000, perPaymaster: 10_000, clientSharePercent: 100 };
const settings = { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps, explainToClients: true };

interface Paymaster {
  readonly apiKey: string;
  readonly snapshot: PolicySnapshot;
}

/** Two gateways, each with a chain of its own. What they share is the broker and the ledger's database. */
describe('limits that paymasters on two chains share', () => {
  let world: GatewayWorld;
  let urls: Readonly<Record<number, string>>;
  let demos: Readonly<Record<number, { address: Address; callData: Hex }>>;
  const closers: Array<() => Promise<unknown>> = [];

  beforeAll(async () => {
    const bounds = { MAX_LIVE_SIGNATURES_PER_SENDER: '1000' };
    world = await startGatewayWorld({ env: bounds, prepareChain: () => Promise.resolve(pricing(HERE)) });
    const anvil = await startAnvil({ chainId: THERE });
    closers.push(() => anvil.stop());
    const chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
    await deployCanonicalContracts(chain);
    const funded = { signer: DEV_KEYS.signer.address, fundingWallet: wallet };
    const deployed = await deployPaymasters(chain, funded);
    const demo = await deployDemoContract(chain);
    const contract = normalizeAddress(deployed['0.7']);
    const spendableWei = await fundingBalanceWei(chain, { paymaster: contract, fundingWallet: wallet });
    await seedChain(world.ledger.database.pool, { chainId: THERE });
    await seedWallet(world.ledger.database.pool, { chainId: THERE, contract, wallet, spendableWei });
    const node = await lyingProxy(anvil.url, lies.everyAccountDeployed());
    closers.push(() => node.stop());
    const entryPoints = { '0.7': { entryPoint: CANONICAL_ENTRY_POINTS['0.7'], paymaster: contract } };
    urls = {
      [HERE]: world.url,
      [THERE]: await world.another({ chainId: THERE, rpcUrls: [node.url], entryPoints, ...pricing(THERE) }),
    };
    demos = { [HERE]: world.demo, [THERE]: { address: normalizeAddress(demo.address), callData: demo.callData } };
  });
  afterAll(async () => {
    await world?.stop();
    for (const close of closers.reverse()) await close();
  });

  const newPaymaster = (chainId: number, policies: readonly SponsorshipPolicy[], changes = {}): Paymaster => {
    const { address, callData } = demos[chainId]!;
    const contracts = [{ address, selectors: [`0x${callData.slice(2, 10)}` as Hex] }];
    return world.newPaymaster({ chainId, contracts, settings, policies, ...changes });
  };
  const sharedBy = (policies: readonly SponsorshipPolicy[], changes = {}) =>
    [newPaymaster(HERE, policies, changes), newPaymaster(THERE, policies, changes)] as const;
  const limits = (changes: Partial<SharedLimit>) =>
    sharedLimitsBuilder([
      { ...{ id: 'a', scope: 'PAYMASTER', measure: 'USD', amount: 0n, cycle: 'LIFETIME' }, ...changes },
    ])
      .with('name', 'All chains')
      .build();
  const ask = async (method: string, { apiKey, snapshot }: Paymaster, changes: object = {}, headers = {}) => {
    const { chainId } = snapshot;
    const { address, callData } = demos[chainId]!;
    const operation = wireOperationV07(executeCall({ to: address, data: callData }), changes);
    const ofErc7677 = [CANONICAL_ENTRY_POINTS['0.7'], `0x${chainId.toString(16)}`, {}];
    const more = method === 'pm_getPaymasterStubData' ? ofErc7677 : [sponsoredMode()];
    const url = `${urls[chainId]}/api/v2/${chainId}/${apiKey}`;
    return (await call(url, method, [operation, ...more], headers)).json;
  };
  const sponsor = async (paymaster: Paymaster, changes: object = {}, headers = {}) => {
    const { result, error } = await ask('pm_sponsorUserOperation', paymaster, changes, headers);
    return result ? 'granted' : `${error?.code} ${String(error?.data['reason'])}`;
  };
  /** The most that a usual operation costs; 1e-6 USD. */
  const costOn = async (chainId: number): Promise<bigint> => {
    const { result } = await ask('pm_explain', newPaymaster(chainId, []));
    return (BigInt(result?.['maxCostWei'] as string) * PRICES[chainId]! * 1_000_000n + E18 - 1n) / E18;
  };
  const budgetOf = async ({ policyId }: SharedLimits) => {
    const rows = await world.ledger.rows<{ key: string; used: string; limit: string }>(
      `SELECT key, reserved + spent AS used, limit_amount AS limit FROM ledger.budgets
        WHERE key LIKE $1 AND NOT live`,
      [`shared:${policyId}:%`],
    );
    return rows.map(({ used, limit }) => ({ used: BigInt(used), limit: BigInt(limit) }));
  };

  it('are never passed, however many ask both gateways at once', async () => {
    const [here, there] = [await costOn(HERE), await costOn(THERE)];
    const amount = 7n * here + 11n * there;
    const policy = limits({ amount });
    const paymasters = sharedBy([policy]);
    const outcomes = await Promise.all(
      paymasters.flatMap((paymaster) =>
        Array.from({ length: 40 }, async () => [paymaster.snapshot.chainId, await sponsor(paymaster)] as const),
      ),
    );
    const granted = (chainId: number) =>
      BigInt(outcomes.filter(([on, outcome]) => on === chainId && outcome === 'granted').length);
    const used = granted(HERE) * here + granted(THERE) * there;
    expect(await budgetOf(policy)).toEqual([{ used, limit: amount }]);
    expect(used).toBeLessThanOrEqual(amount);
    expect(used).toBeGreaterThan(amount - here - there);
    const others = outcomes.map(([, outcome]) => outcome).filter((outcome) => outcome !== 'granted');
    expect(new Set(others)).toEqual(new Set(['-32501 SPENDING_LIMIT_REACHED']));
  });

  it('refuse on one chain what was used up on the other, and say which limit it was', async () => {
    const policy = limits({ measure: 'COUNT', amount: 2n });
    const [here, there] = sharedBy([policy, rulesPolicyBuilder().build()]);
    expect([await sponsor(here), await sponsor(there)]).toEqual(['granted', 'granted']);
    const rule = 'All chains: shared limit per PAYMASTER and LIFETIME';
    for (const paymaster of [here, there]) {
      const { error } = await ask('pm_sponsorUserOperation', paymaster);
      expect(error).toMatchObject({
        code: -32501,
        message: expect.stringContaining('that this paymaster shares with others'),
        data: { reason: 'SPENDING_LIMIT_REACHED', rule, used: '2', limit: '2', unit: 'count' },
      });
      expect((error?.data['trace'] as object[]).at(-1)).toMatchObject({ rule, outcome: 'refuse' });
      expect((await ask('pm_explain', paymaster)).result).toMatchObject({ sponsored: false });
      const stub = await ask('pm_getPaymasterStubData', paymaster);
      expect(stub.error?.data).toMatchObject({ reason: 'SPENDING_LIMIT_REACHED', rule });
    }
  });

  it('have the amount of the newest version that any gateway knows', async () => {
    const policy = limits({ measure: 'COUNT', amount: 1n });
    // Their own versions say nothing of each other.
    const here = newPaymaster(HERE, [policy], { version: 500 });
    const there = newPaymaster(THERE, [policy], { version: 3 });
    expect([await sponsor(here), await sponsor(there)]).toEqual(['granted', '-32501 SPENDING_LIMIT_REACHED']);
    const raised = { ...policy, limits: [{ ...policy.limits[0]!, amount: 3n }], sharedVersion: 2 };
    const changed = { ...there.snapshot, version: 4, policies: [raised] };
    world.responder.set(there.apiKey, changed);
    await world.responder.broadcast(changed);
    await until(async () => (await sponsor(there)) === 'granted', 'the new limit is known');
    expect([await sponsor(here), await sponsor(here)]).toEqual(['granted', '-32501 SPENDING_LIMIT_REACHED']);
  });

  it('count a smart account, or the user of a session, on both chains together', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    const sessionKeys = [{ keyId: randomUUID(), algorithm: 'EdDSA', spki }];
    const policy = limits({ scope: 'USER', measure: 'COUNT', amount: 2n });
    const both = sharedBy([policy], { sessionKeys });
    const tokenFor = async (sub: string, { snapshot }: Paymaster) => {
      const token = new SignJWT({ sub }).setProtectedHeader({ alg: 'EdDSA', kid: sessionKeys[0]!.keyId });
      token.setIssuedAt().setExpirationTime('1h').setAudience(snapshot.paymasterId);
      return { 'x-session-token': await token.sign(privateKey) };
    };
    const sender = randomAddress();
    const turns = [both[0], both[1], both[0], both[1]];
    const ofAccount = [];
    for (const [at, paymaster] of turns.entries()) {
      ofAccount.push(await sponsor(paymaster, { sender, nonce: `0x${at}` }));
    }
    const ofUser = [];
    for (const paymaster of turns) ofUser.push(await sponsor(paymaster, {}, await tokenFor('alice', paymaster)));
    const twice = ['granted', 'granted', '-32501 SPENDING_LIMIT_REACHED', '-32501 SPENDING_LIMIT_REACHED'];
    expect({ ofAccount, ofUser }).toEqual({ ofAccount: twice, ofUser: twice });
    expect(await sponsor(both[1], {}, await tokenFor('bob', both[1]))).toBe('granted');
  });
});
