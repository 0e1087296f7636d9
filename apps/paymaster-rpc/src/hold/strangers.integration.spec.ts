import {
  DEFAULT_LIVE_SIGNATURE_CAPS,
  DEFAULT_PAYMASTER_SETTINGS,
  type Address,
  type Hex,
  type PaymasterSettings,
  type PolicySnapshot,
  type SpendingLimit,
} from '@paymaster/domain';
import { randomAddress, rulesPolicyBuilder } from '@paymaster/domain/testing';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV06 } from '../testing/rpc-call';

const STRANGER = '203.0.113.66';
const OWNER = '198.51.100.1';
/** The setting of an owner whose clients all share one address: no client is bounded to a share. */
const UNSHARED = 100;
const DEFAULT_SHARE = DEFAULT_LIVE_SIGNATURE_CAPS.clientSharePercent;

/** What a stranger can do with the public key and the address of an account. */
describe('a stranger with the public key', () => {
  let world: GatewayWorld;
  let callData: Hex;
  /** The hold of one operation; wei. */
  let costWei: bigint;

  beforeAll(async () => {
    world = await startGatewayWorld({ env: { TRUSTED_PROXIES: '1' } });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
    await ask(world.newPaymaster().apiKey, { from: OWNER });
    const [held] = await world.ledger.rows<{ hold_wei: string }>('SELECT hold_wei FROM ledger.reservations');
    costWei = BigInt(held!.hold_wei);
  });
  afterAll(() => world?.stop());

  const ask = async (apiKey: string, { from, operation = {} }: { from: string; operation?: object }) => {
    const params = [wireOperationV06(callData, operation), sponsoredMode()];
    const url = `${world.url}/api/v1/31337/${apiKey}`;
    const { json } = await call(url, 'pm_sponsorUserOperation', params, { 'x-forwarded-for': from });
    return json.error?.data['reason'] ?? 'signed';
  };
  /** Sends this many requests from one address. @returns how many were signed */
  const hoard = async (apiKey: string, asking: { from: string; operation?: object }) =>
    (await Promise.all(Array.from({ length: 20 }, () => ask(apiKey, asking)))).filter((each) => each === 'signed')
      .length;
  const paymasterWith = (
    clientSharePercent: number,
    changes: Partial<PolicySnapshot> = {},
    settings: Partial<PaymasterSettings> = {},
  ) =>
    world.newPaymaster({
      settings: {
        ...DEFAULT_PAYMASTER_SETTINGS,
        ...settings,
        spendingBrake: false,
        liveSignatureCaps: { ...DEFAULT_LIVE_SIGNATURE_CAPS, clientSharePercent },
      },
      ...changes,
    }).apiKey;
  const limitPolicies = (limit: Partial<SpendingLimit>) => [
    rulesPolicyBuilder({
      limits: [{ id: 'a', scope: 'USER', measure: 'COUNT', amount: 3n, cycle: 'LIFETIME', ...limit } as SpendingLimit],
    }).build(),
  ];
  const walletFor = async (operations: bigint): Promise<Address> => {
    const wallet = randomAddress();
    await world.ledger.setWallet({
      ...{ contract: world.paymasters['0.6'], wallet },
      spendableWei: operations * costWei,
    });
    return wallet;
  };

  it.each([
    ['takes every place of an account where clients share nothing', UNSHARED, 4, 'TOO_MANY_LIVE_SIGNATURES'],
    ['leaves the account a place', DEFAULT_SHARE, 3, 'signed'],
  ])('%s', async (_title, share, taken, outcome) => {
    const apiKey = paymasterWith(share);
    const sender = randomAddress();
    expect(await hoard(apiKey, { from: STRANGER, operation: { sender } })).toBe(taken);
    expect(await ask(apiKey, { from: OWNER, operation: { sender } })).toBe(outcome);
  });

  it('with a /48 of IPv6 is one client of an account, whatever the /64', async () => {
    const apiKey = paymasterWith(DEFAULT_SHARE);
    const sender = randomAddress();
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ask(apiKey, { from: `2001:db8:7:${index.toString(16)}::1`, operation: { sender } }),
      ),
    );
    expect(taken.filter((each) => each === 'signed')).toHaveLength(3);
    expect(await ask(apiKey, { from: '2001:db8:8::1', operation: { sender } })).toBe('signed');
  });

  it('cannot count each /64 of a /48 as a further client for ever', async () => {
    const caps = { ...DEFAULT_LIVE_SIGNATURE_CAPS, perClient: 1 };
    const { apiKey } = world.newPaymaster({ settings: { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps: caps } });
    const outcomes = await Promise.all(
      Array.from({ length: 15 }, (_, index) => ask(apiKey, { from: `2001:db8:7:${index.toString(16)}::1` })),
    );
    expect(outcomes.filter((each) => each === 'signed')).toHaveLength(10);
    expect(await ask(apiKey, { from: '2001:db8:8::1' })).toBe('signed');
  });

  it.each([
    ['takes the limit of an account where clients share nothing', UNSHARED, 3, 'SPENDING_LIMIT_REACHED'],
    ['leaves the account some of its limit', DEFAULT_SHARE, 2, 'signed'],
  ])('%s', async (_title, share, taken, outcome) => {
    const apiKey = paymasterWith(share, { policies: limitPolicies({}) });
    const sender = randomAddress();
    expect(await hoard(apiKey, { from: STRANGER, operation: { sender } })).toBe(taken);
    expect(await ask(apiKey, { from: OWNER, operation: { sender } })).toBe(outcome);
  });

  it('may hold one expensive operation, and then no other', async () => {
    const policies = limitPolicies({ measure: 'WEI', amount: 3n * costWei });
    const apiKey = paymasterWith(DEFAULT_SHARE, { policies });
    const sender = randomAddress();
    const dear = { sender, callGasLimit: '450000' };
    expect(await ask(apiKey, { from: STRANGER, operation: dear })).toBe('signed');
    expect(await ask(apiKey, { from: STRANGER, operation: { sender } })).toBe('TOO_MANY_LIVE_SIGNATURES');
    expect(await ask(apiKey, { from: OWNER, operation: { sender } })).toBe('signed');
  });

  it('leaves a part of it also when most is spent', async () => {
    const { apiKey, snapshot } = world.newPaymaster({ policies: limitPolicies({ amount: 10n }) });
    const sender = randomAddress();
    await ask(apiKey, { from: '192.0.2.1', operation: { sender } });
    await world.ledger.rows('UPDATE ledger.budgets SET spent = 7 WHERE paymaster_id = $1 AND NOT live RETURNING id', [
      snapshot.paymasterId,
    ]);
    expect(await hoard(apiKey, { from: STRANGER, operation: { sender } })).toBe(1);
    expect(await ask(apiKey, { from: OWNER, operation: { sender } })).toBe('signed');
  });

  it('may cost a wallet a quarter in an hour, at all its paymasters together, and its owner names his server', async () => {
    const fundingWallet = await walletFor(10n);
    const [one, other] = [
      paymasterWith(DEFAULT_SHARE, { fundingWallet }),
      paymasterWith(UNSHARED, { fundingWallet }, { servers: [OWNER] }),
    ];
    // A tenth of so small a wallet is the room of one network: a second operation is more.
    expect(await hoard(one, { from: STRANGER })).toBe(1);
    expect(await ask(other, { from: STRANGER })).toBe('CLIENT_NETWORK_HOUR_USED');
    for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) await hoard(other, { from });
    expect(await ask(other, { from: '192.0.2.5' })).toBe('NEW_NETWORKS_HOUR_USED');
    expect(await ask(other, { from: OWNER })).toBe('signed');
  });

  it('writes few events by asking for one operation again and again', async () => {
    const { apiKey, snapshot } = world.newPaymaster();
    const operation = { sender: randomAddress(), nonce: '0x7' };
    const askedAt = performance.now();
    for (let times = 0; times < 30; times++) await ask(apiKey, { from: STRANGER, operation });
    const minutes = Math.ceil((performance.now() - askedAt) / 60_000);
    const events = await world.ledger.rows('SELECT id FROM ledger.outbox WHERE paymaster_id = $1', [
      snapshot.paymasterId,
    ]);
    expect(events.length).toBeGreaterThanOrEqual(4);
    // The first four events within a minute are written, and this loop takes a second.
    expect(events.length).toBeLessThanOrEqual(4 * minutes);
  });

  it('has an address that no budget contains', async () => {
    await ask(paymasterWith(DEFAULT_SHARE, { policies: limitPolicies({}) }), { from: STRANGER });
    const keys = await world.ledger.rows<{ key: string }>('SELECT key FROM ledger.budgets');
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter(({ key }) => key.includes(STRANGER) || key.includes('2001:db8'))).toEqual([]);
  });
});
