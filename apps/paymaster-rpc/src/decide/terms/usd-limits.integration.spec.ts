import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_LIVE_SIGNATURE_CAPS,
  DEFAULT_PAYMASTER_SETTINGS,
  normalizeAddress,
  type PaymasterSettings,
  type SpendingLimit,
} from '@paymaster/domain';
import { keyGrantBuilder, rulesPolicyBuilder } from '@paymaster/domain/testing';
import { roomInWindow } from '../../testing/room-in-window';
import { call, executeCall, sponsoredMode, wireOperationV07 } from '../../testing/rpc-call';
import { erc20Mode } from '../../testing/token-call';
import { startTokenWorld, type TokenWorld } from '../../testing/token-world';

const E18 = 10n ** 18n;

describe('limits in USD', () => {
  let world: TokenWorld;

  beforeAll(async () => {
    world = await startTokenWorld();
  });
  afterAll(() => world?.stop());

  /** The third reading confirms a jump. */
  const believe = async (usd: string) => {
    for (let reading = 0; reading < 3; reading++) await world.setPrice('ETH', usd);
  };
  // All requests come from one address.
  const liveSignatureCaps = { ...DEFAULT_LIVE_SIGNATURE_CAPS, clientSharePercent: 100 };
  const settings = { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps, explainToClients: true };
  const newPaymaster = (limits: readonly SpendingLimit[] = []) =>
    world.newPaymaster({ settings, policies: [rulesPolicyBuilder({ limits }).build()] });
  const limit = (amount: bigint, changes: Partial<SpendingLimit> = {}): SpendingLimit => ({
    ...{ id: 'usd', scope: 'USER', measure: 'USD', amount, cycle: 'DAY' },
    ...changes,
  });
  const operation = (changes: object = {}) =>
    wireOperationV07(executeCall({ to: world.demo.address, data: world.demo.callData }), changes);
  const ask = async (method: string, { apiKey }: { apiKey: string }, op: object) =>
    (await call(`${world.url}/api/v2/31337/${apiKey}`, method, [op, sponsoredMode()])).json;
  const sponsor = async (paymaster: { apiKey: string }, op: object) => {
    const { result, error } = await ask('pm_sponsorUserOperation', paymaster, op);
    return result ? 'granted' : `${error?.code} ${String(error?.data['reason'])}`;
  };
  /** The most that a usual operation costs at the given price of a coin; 1e-6 USD, rounded up. */
  const costAt = async (usd: bigint) => {
    const { result } = await ask('pm_explain', newPaymaster(), operation());
    return (BigInt(result?.['maxCostWei'] as string) * usd * 1_000_000n + E18 - 1n) / E18;
  };
  const sender = normalizeAddress(`0x${'5e'.repeat(20)}`);

  it('count the precharge at the price of the signature', async () => {
    await roomInWindow('DAY');
    await believe('2000');
    const cost = await costAt(2_000n);
    const paymaster = newPaymaster([limit(3n * cost)]);
    const nonces = ['0x0', '0x1', '0x2', '0x3'];
    const outcomes = [];
    for (const nonce of nonces) outcomes.push(await sponsor(paymaster, operation({ sender, nonce })));
    expect(outcomes).toEqual(['granted', 'granted', 'granted', '-32501 SPENDING_LIMIT_REACHED']);
    expect(await sponsor(paymaster, operation())).toBe('granted');
    const { error } = await ask('pm_sponsorUserOperation', paymaster, operation({ sender, nonce: '0x4' }));
    expect(error?.data).toMatchObject({ unit: 'microUsd', used: `${3n * cost}`, limit: `${3n * cost}` });
  });

  it('allow less gas once the coin costs more', async () => {
    await believe('2000');
    const ofOperation = newPaymaster([limit(await costAt(2_000n), { scope: 'OPERATION' })]);
    expect(await sponsor(ofOperation, operation())).toBe('granted');
    await believe('2100');
    expect(await sponsor(ofOperation, operation())).toBe('-32501 SPENDING_LIMIT_REACHED');
    await believe('2000');
    expect(await sponsor(ofOperation, operation())).toBe('granted');
  });

  it('of an API key count the same, beside those of policies', async () => {
    await believe('2000');
    const cost = await costAt(2_000n);
    const ofKey = {
      id: 'KEY-USD-LIFETIME',
      scope: 'KEY',
      measure: 'USD',
      amount: 2n * cost,
      cycle: 'LIFETIME',
    } as const;
    const withKey = () => world.newPaymaster({ settings, key: { ...keyGrantBuilder().build(), limits: [ofKey] } });
    const paymaster = withKey();
    const outcomes = [];
    for (let nonce = 0; nonce < 3; nonce++) outcomes.push(await sponsor(paymaster, operation({ nonce: `0x${nonce}` })));
    expect(outcomes).toEqual(['granted', 'granted', '-32501 KEY_LIMIT_REACHED']);
    await world.setPrice('ETH', '0');
    expect(await sponsor(withKey(), operation())).toBe('-32011 PRICE_UNAVAILABLE');
    await believe('2000');
  });

  it('name the way to pay in tokens, in the words of each dialect, where the owner lets users pay then', async () => {
    const [entryPoint, chainId] = [CANONICAL_ENTRY_POINTS['0.7'], '0x7a69'];
    const asUsedUp = (changes: Partial<PaymasterSettings>) =>
      world.newPaymaster({
        settings: { ...DEFAULT_PAYMASTER_SETTINGS, ...changes },
        policies: [rulesPolicyBuilder({ limits: [limit(1n, { scope: 'OPERATION' })] }).build()],
      });
    const wire = async (paymaster: { apiKey: string }, method: string, ...params: readonly unknown[]) =>
      (await call(`${world.url}/api/v2/31337/${paymaster.apiKey}`, method, params)).json;
    const core = (paymaster: { apiKey: string }) =>
      wire(paymaster, 'pm_sponsorUserOperation', operation(), sponsoredMode());
    const tokens = Object.values(world.tokens).map(({ address }) => address);
    const usedUp = (method: string, field: string) => ({
      ...{ code: -32501, message: expect.any(String) },
      data: {
        ...{ reason: 'SPENDING_LIMIT_REACHED', requestId: expect.any(String) },
        payWith: { mode: 'ERC20', method, field, tokens },
      },
    });

    const paymaster = asUsedUp({ onLimitReached: 'erc20' });
    const { error } = await core(paymaster);
    expect(error).toEqual(usedUp('pm_getFeeQuoteOrData', 'params[1].tokenInfo.preferredToken'));
    const { result } = await wire(paymaster, 'pm_getFeeQuoteOrData', operation(), erc20Mode({ tokenList: tokens }));
    expect(result?.['feeQuotes']).toHaveLength(tokens.length);
    for (const method of ['pm_getPaymasterStubData', 'pm_getPaymasterData']) {
      expect((await wire(paymaster, method, operation(), entryPoint, chainId)).error).toEqual(
        usedUp('pm_getPaymasterStubData', 'params[3].token'),
      );
    }
    expect((await core(asUsedUp({}))).error?.data).not.toHaveProperty('payWith');
    // Clients of the core dialect continue without a paymaster, as before.
    const both = await core(asUsedUp({ onLimitReached: 'erc20', onRefusal: 'userPays' }));
    expect(both.result).toMatchObject({ paymasterAndData: '0x' });
  });

  it('answer -32011 while no price can be believed, and sign nothing; limits in wei go on', async () => {
    const usd = newPaymaster([limit(10n ** 12n)]);
    const wei = newPaymaster([limit(10n ** 24n, { measure: 'WEI' })]);
    expect(await sponsor(usd, operation())).toBe('granted');
    await world.setPrice('ETH', '0');
    expect(await sponsor(usd, operation())).toBe('-32011 PRICE_UNAVAILABLE');
    expect(await sponsor(wei, operation())).toBe('granted');
    await believe('2000');
    expect(await sponsor(usd, operation())).toBe('granted');
  });
});
