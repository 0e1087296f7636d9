import { setTimeout as sleep } from 'node:timers/promises';
import { FakeRpcServer } from '@paymaster/chain/testing';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_PAYMASTER_SETTINGS,
  type Address,
  type ArgumentRule,
  type Hex,
  type NativeRules,
  type PolicySnapshot,
  type SpendingLimit,
  type SponsorshipPolicy,
} from '@paymaster/domain';
import { limitPolicyBuilder, randomAddress, rulesPolicyBuilder, until } from '@paymaster/domain/testing';
import { encodeFunctionData, parseAbi } from 'viem';
import { ServedChains } from '../../chains/served-chains';
import { startGatewayWorld, type GatewayWorld } from '../../testing/gateway-world';
import { roomInWindow } from '../../testing/room-in-window';
import { call, sponsoredMode, wireOperationV06, wireOperationV07, type RpcAnswer } from '../../testing/rpc-call';

const ESTIMATED_CALL_GAS = 100_000n;
/** The highest value that a policy may have. */
const MAX_PERCENT = 100_000;
const SIMPLE_FACTORY_V07: Address = '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985';
/** Room enough in the client's and the paymaster's caps, so that only the tested rule refuses. */
const ROOMY = { perSender: 1_000, perClient: 100_000, perPaymaster: 100_000, clientSharePercent: 100 };

const abi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
  'function mint(address to, uint256 amount)',
  'function mint(address to, uint256 amount, bytes data)',
]);
const MINT: Hex = '0x40c10f19';
const nft = randomAddress();
const alice = randomAddress();

interface Call {
  readonly value?: bigint;
  readonly data?: Hex;
}
const mint = (amount: bigint): Call => ({
  data: encodeFunctionData({ abi: [abi[2]], functionName: 'mint', args: [alice, amount] }),
});
const single = ({ value = 0n, data = MINT }: Call = {}): Hex =>
  encodeFunctionData({ abi, functionName: 'execute', args: [nft, value, data] });
const batch = (calls: readonly Call[]): Hex =>
  encodeFunctionData({
    abi,
    functionName: 'executeBatch',
    args: [calls.map(() => nft), calls.map(({ value = 0n }) => value), calls.map(({ data = MINT }) => data)],
  });
const operation = (changes: object = {}, callData = single()) => wireOperationV07(callData, changes);
const now = () => Math.floor(Date.now() / 1_000);

describe("the owner's policies", () => {
  let world: GatewayWorld;
  let bundler: FakeRpcServer;

  beforeAll(async () => {
    bundler = await FakeRpcServer.start();
    bundler.methods['eth_estimateUserOperationGas'] = () => ({
      callGasLimit: `0x${ESTIMATED_CALL_GAS.toString(16)}`,
      verificationGasLimit: '0x186a0',
      preVerificationGas: '0xc350',
    });
    const env = { MAX_LIVE_SIGNATURES_PER_SENDER: '1000', MAX_LIVE_SIGNATURES_PER_CLIENT: '100000' };
    world = await startGatewayWorld({ bundlerUrl: bundler.url, env });
  });
  afterAll(async () => {
    await world?.stop();
    await bundler?.stop();
  });

  const paymasterWith = (policies: readonly SponsorshipPolicy[], changes: Partial<PolicySnapshot> = {}) =>
    world.newPaymaster({
      contracts: [{ address: nft, selectors: [MINT] }],
      settings: { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps: ROOMY },
      policies,
      ...changes,
    });
  const explaining = (changes: object = {}) => ({
    settings: { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps: ROOMY, explainToClients: true, ...changes },
  });
  const ask = (apiKey: string, method: string, params: readonly unknown[]): Promise<RpcAnswer> =>
    call(`${world.url}/api/v2/31337/${apiKey}`, method, params);
  const sponsor = ({ apiKey }: { apiKey: string }, op: object, mode: object = {}) =>
    ask(apiKey, 'pm_sponsorUserOperation', [op, sponsoredMode(mode)]);
  const explain = async ({ apiKey }: { apiKey: string }, op: object, mode: object = {}) =>
    (await ask(apiKey, 'pm_explain', [op, sponsoredMode(mode)])).json.result ?? {};
  /** `granted`, or the reason of the refusal. */
  const outcome = async (paymaster: { apiKey: string }, op: object, mode: object = {}) => {
    const { status, json } = await sponsor(paymaster, op, mode);
    if (json.result) return 'granted';
    if (json.error?.code !== -32501) return `${status} ${json.error?.code} ${String(json.error?.data['reason'])}`;
    return json.error.data['reason'];
  };
  /** The most that a usual operation of these tests can cost. */
  const usualCostWei = async () =>
    BigInt((await explain(paymasterWith([], explaining()), operation()))['maxCostWei'] as string);

  const atMostTen: ArgumentRule = {
    contract: nft,
    method: 'mint(address,uint256)',
    index: 1,
    operator: 'LTE',
    values: ['10'],
  };
  const dirtyMint = `${MINT}1${alice.slice(2).padStart(63, '0')}${'1'.padStart(64, '0')}` as Hex;

  describe('rules without a history allow, refuse with their reason, and cannot be bypassed', () => {
    const cases: readonly [string, Partial<NativeRules>, { op: object; mode?: object; refusal?: string }[]][] = [
      [
        'endsAt',
        { startsAtSeconds: now() - 600, endsAtSeconds: now() + 86_400 },
        [{ op: operation() }, { op: operation({ nonce: '0x00' }) }],
      ],
      [
        'startsAt',
        { startsAtSeconds: now() + 86_400 },
        [
          { op: operation(), refusal: 'POLICY_NOT_IN_FORCE' },
          // With a long validity the operation may land in a later window; the window of the signature counts.
          { op: operation(), mode: { expiryDuration: 600 }, refusal: 'POLICY_NOT_IN_FORCE' },
        ],
      ],
      [
        'senders.allow',
        { allowedSenders: [alice] },
        [
          { op: operation({ sender: alice }) },
          { op: operation({ sender: alice.toUpperCase().replace('0X', '0x') }) },
          { op: operation(), refusal: 'SENDER_NOT_ALLOWED' },
        ],
      ],
      [
        'senders.deny',
        { allowedSenders: [alice], deniedSenders: [alice] },
        [
          { op: operation({ sender: alice }), refusal: 'SENDER_NOT_ALLOWED' },
          { op: operation({ sender: alice.toUpperCase().replace('0X', '0x') }), refusal: 'SENDER_NOT_ALLOWED' },
        ],
      ],
      [
        'maxCallValueWei',
        { maxCallValueWei: 5n },
        [
          { op: operation({}, single({ value: 5n })) },
          { op: operation({}, single({ value: 6n })), refusal: 'VALUE_TOO_HIGH' },
          { op: operation({}, batch([{ value: 1n }, { value: 6n }])), refusal: 'VALUE_TOO_HIGH' },
        ],
      ],
      [
        'maxTotalValueWei',
        { maxTotalValueWei: 5n },
        [
          { op: operation({}, batch([{ value: 2n }, { value: 3n }])) },
          { op: operation({}, batch([{ value: 3n }, { value: 3n }])), refusal: 'VALUE_TOO_HIGH' },
          { op: operation({}, batch([{ value: 2n ** 255n }, { value: 2n ** 255n }])), refusal: 'VALUE_TOO_HIGH' },
        ],
      ],
      [
        'arguments',
        { arguments: [atMostTen] },
        [
          { op: operation({}, single(mint(10n))) },
          { op: operation({}, single(mint(11n))), refusal: 'ARGUMENT_NOT_ALLOWED' },
          { op: operation({}, batch([mint(1n), mint(11n)])), refusal: 'ARGUMENT_NOT_ALLOWED' },
          { op: operation({}, single({ data: MINT })), refusal: 'ARGUMENT_NOT_ALLOWED' },
          {
            op: operation(
              {},
              single({ data: encodeFunctionData({ abi: [abi[3]], functionName: 'mint', args: [alice, 11n, '0x'] }) }),
            ),
            refusal: 'METHOD_NOT_WHITELISTED',
          },
        ],
      ],
      [
        'arguments of an address',
        { arguments: [{ ...atMostTen, index: 0, operator: 'IN', values: [alice] }] },
        [
          { op: operation({}, single(mint(1n))) },
          { op: operation({}, single({ data: dirtyMint })), refusal: 'ARGUMENT_NOT_ALLOWED' },
        ],
      ],
      [
        'maxCallGasPercentOfEstimate',
        { maxCallGasPercentOfEstimate: 200 },
        [
          { op: operation({ callGasLimit: '200000' }) },
          { op: operation({ callGasLimit: '400000' }), refusal: 'CALL_GAS_ABOVE_ESTIMATE' },
          { op: operation({ callGasLimit: '0x61a80' }), refusal: 'CALL_GAS_ABOVE_ESTIMATE' },
          { op: operation({ callGasLimit: '900000' }), mode: { calculateGasLimits: true } },
        ],
      ],
      [
        'accountFactories',
        { accountFactories: [SIMPLE_FACTORY_V07] },
        [
          { op: operation() },
          { op: operation({ factory: SIMPLE_FACTORY_V07, factoryData: '0x01' }) },
          {
            op: operation({ factory: '0x13e9ed32155810fdbd067d4522c492d6f68e5944', factoryData: '0x01' }),
            refusal: 'FACTORY_NOT_ALLOWED',
          },
          {
            op: wireOperationV06(single(), { initCode: '0x9406cc6185a346906296840746125a0e44976454ff' }),
            refusal: 'FACTORY_NOT_ALLOWED',
          },
        ],
      ],
      [
        'eip7702Delegates',
        { eip7702Delegates: [alice] },
        [
          { op: operation() },
          { op: operation({ factory: '0x7702' }), refusal: 'EIP7702_NOT_SPONSORED' },
          { op: operation({ eip7702Auth: { address: alice } }), refusal: '400 -32602 INVALID_PARAMS' },
          {
            op: wireOperationV06(single(), { initCode: `0x7702${'00'.repeat(18)}` }),
            refusal: 'EIP7702_NOT_SPONSORED',
          },
        ],
      ],
    ];

    it.each(cases)('%s', async (_rule, rules, scenarios) => {
      const paymaster = paymasterWith([rulesPolicyBuilder(rules).build()]);
      for (const { op, mode, refusal = 'granted' } of scenarios)
        expect(await outcome(paymaster, op, mode)).toBe(refusal);
    });

    it('maxFeePercentOfBaseFee', async () => {
      const ceiling = (percent: number) =>
        paymasterWith([rulesPolicyBuilder({ maxFeePercentOfBaseFee: percent }).build()]);
      const baseFeePerGas = world.app.get(ServedChains).get(31337).head.baseFeePerGasWei();
      const fees = (maxFeePerGas: string) => operation({ maxFeePerGas, maxPriorityFeePerGas: '0x1' });
      // Within what the chain allows by default.
      const fourfold = (baseFeePerGas * 4n).toString();
      expect(await outcome(ceiling(MAX_PERCENT), fees(fourfold))).toBe('granted');
      expect(await outcome(ceiling(150), fees(fourfold))).toBe('MAX_FEE_PER_GAS_TOO_HIGH');
      expect(await outcome(ceiling(150), fees(`0x000${BigInt(fourfold).toString(16)}`))).toBe(
        'MAX_FEE_PER_GAS_TOO_HIGH',
      );
    });

    it('maxFeePercentOfBaseFee does not judge the fees of a stub, which are placeholders', async () => {
      const { apiKey } = paymasterWith([rulesPolicyBuilder({ maxFeePercentOfBaseFee: 110 }).build()]);
      const entryPoint = CANONICAL_ENTRY_POINTS['0.7'];
      const erc7677 = async (method: string, changes: object) =>
        (await ask(apiKey, method, [operation(changes), entryPoint, '0x7a69', null])).json;
      const huge = `0x${'f'.repeat(30)}`;
      for (const fees of [
        { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined },
        { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' },
        { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' },
        { maxFeePerGas: '0x77359400' },
        { maxFeePerGas: huge, maxPriorityFeePerGas: huge },
      ]) {
        expect(await erc7677('pm_getPaymasterStubData', fees)).toMatchObject({ result: expect.anything() });
        expect(await erc7677('pm_getPaymasterData', fees)).toMatchObject({ error: { code: expect.any(Number) } });
      }
      const oneWei = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' };
      expect((await erc7677('pm_getPaymasterData', oneWei)).error?.data['reason']).toBe('MAX_FEE_PER_GAS_TOO_LOW');
    });

    it('revertBreaker', async () => {
      const revertBreaker = { maxRevertPercent: 50, minOperations: 10, windowMinutes: 60 };
      const { apiKey, snapshot } = paymasterWith([rulesPolicyBuilder({ revertBreaker }).build()]);
      // The time is read once, so that each row has a minute of its own even if a minute ends during the test.
      const minute = Math.floor(now() / 60);
      const landed = (count: number, reverted: number, minutesAgo: number) =>
        world.ledger.database.pool.query(
          `INSERT INTO ledger.outcomes (paymaster_id, chain_id, minute, landed, reverted) VALUES ($1, 31337, $2, $3, $4)`,
          [snapshot.paymasterId, minute - minutesAgo, count, reverted],
        );
      expect(await outcome({ apiKey }, operation())).toBe('granted');
      await landed(100, 100, 90);
      await landed(10, 5, 5);
      // The gateway's knowledge of outcomes is at most a second old.
      await sleep(1_100);
      expect(await outcome({ apiKey }, operation())).toBe('granted');
      await landed(10, 10, 6);
      await until(async () => (await outcome({ apiKey }, operation())) === 'REVERT_RATE_TOO_HIGH', 'it refuses');
      const withEstimate = await outcome({ apiKey }, operation(), { calculateGasLimits: true });
      expect(withEstimate).toBe('REVERT_RATE_TOO_HIGH');
    });

    it('WALLET_DEPLOYMENT', async () => {
      const deployment = operation({ factory: SIMPLE_FACTORY_V07, factoryData: '0x01' }, '0x');
      const policies = [{ policyId: 'deploy', name: 'Deployments', type: 'WALLET_DEPLOYMENT' } as const];
      expect(await outcome(paymasterWith(policies, { contracts: [] }), deployment)).toBe('granted');
      expect(await outcome(paymasterWith([]), deployment)).toBe('DEPLOYMENT_NOT_SPONSORED');
      const foreign = operation({ factory: randomAddress(), factoryData: '0x01' }, '0x');
      expect(await outcome(paymasterWith(policies), foreign)).toBe('UNKNOWN_ACCOUNT_FACTORY');
      const nothing = operation({}, '0x');
      expect(await outcome(paymasterWith(policies), nothing)).toBe('NOTHING_TO_SPONSOR');
    });
  });

  describe('the policy that a client names', () => {
    const count = (amount: bigint): SpendingLimit => ({
      ...{ id: 'a', scope: 'PAYMASTER', measure: 'COUNT', amount, cycle: 'LIFETIME' },
    });
    const named = (policyId: string, rules: Partial<NativeRules>) =>
      rulesPolicyBuilder(rules).with('policyId', policyId).with('name', policyId).build();
    const noLimits = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' };
    const sponsorBy = async (apiKey: string, ...context: readonly unknown[]) => {
      const params = [operation(noLimits), CANONICAL_ENTRY_POINTS['0.7'], ...context];
      const { status, json } = await ask(apiKey, 'pm_sponsorUserOperation', params);
      expect(status).toBe(200);
      return json.error ? (json.error.data['field'] ?? json.error.data['reason']) : json.result;
    };
    const granted = {
      ...{ paymaster: expect.any(String), paymasterData: expect.any(String) },
      ...{ paymasterVerificationGasLimit: expect.any(String), paymasterPostOpGasLimit: expect.any(String) },
      ...{ callGasLimit: expect.any(String), verificationGasLimit: expect.any(String) },
      preVerificationGas: expect.any(String),
    };

    it('is the only one asked', async () => {
      const { apiKey } = paymasterWith([
        named('one', { limits: [count(1n)] }),
        named('all', {}),
        named('vip', { allowedSenders: [] }),
      ]);
      expect(await sponsorBy(apiKey, { sponsorshipPolicyId: 'vip' })).toBe('SENDER_NOT_ALLOWED');
      expect(await sponsorBy(apiKey, { sponsorshipPolicyId: 'one' })).toEqual(granted);
      expect(await sponsorBy(apiKey, { policyId: 'one' })).toBe('SPENDING_LIMIT_REACHED');
      expect(await sponsorBy(apiKey, { policyId: ['one', 'vip'] })).toBe('SPENDING_LIMIT_REACHED');
      expect(await sponsorBy(apiKey, { policyIds: ['all', 'vip'] })).toEqual(granted);
      expect(await sponsorBy(apiKey, { policyIds: ['all', 'nobody'] })).toBe('params[2].policyIds[1]');
      expect(await sponsorBy(apiKey, { policyId: 'All' })).toBe('params[2].policyId');
      for (const context of [[], [null], [{}], [{ type: 'payg' }], [{ policyId: 'all' }]]) {
        expect(await sponsorBy(apiKey, ...context)).toEqual(granted);
      }
    });

    it('is found by a question, whose refusals are not those of a user', async () => {
      const { apiKey, snapshot } = paymasterWith([named('all', {}), named('vip', { allowedSenders: [] })]);
      const params = [operation(noLimits), CANONICAL_ENTRY_POINTS['0.7'], ['vip', 'all', 'none']];
      const { json } = await ask(apiKey, 'pm_validateSponsorshipPolicies', params);
      expect(json.result).toEqual([{ sponsorshipPolicyId: 'all', data: expect.objectContaining({ name: 'all' }) }]);
      expect(await sponsorBy(apiKey, { policyId: 'vip' })).toBe('SENDER_NOT_ALLOWED');
      const told = () =>
        world.ledger.rows<object>('SELECT payload FROM ledger.outbox WHERE paymaster_id = $1', [snapshot.paymasterId]);
      await until(async () => (await told()).length > 0, 'the refusal of the user is told');
      expect(await told()).toHaveLength(1);
    });

    it('leaves restrictions in force, and is none of them', async () => {
      const { apiKey } = paymasterWith([
        named('all', {}),
        limitPolicyBuilder({ threshold: 1n }).with('policyId', 'limit').build(),
      ]);
      expect(await sponsorBy(apiKey, { policyId: 'limit' })).toBe('params[2].policyId');
      expect(await sponsorBy(apiKey, { policyId: 'all' })).toEqual(granted);
      expect(await sponsorBy(apiKey, { policyId: 'all' })).toBe('SPENDING_LIMIT_REACHED');
    });
  });

  describe('limits', () => {
    const limit = (changes: Partial<SpendingLimit>): SpendingLimit => ({
      ...{ id: 'a', scope: 'PAYMASTER', measure: 'COUNT', amount: 1n, cycle: 'LIFETIME' },
      ...changes,
    });
    const limited = (...limits: readonly Partial<SpendingLimit>[]) =>
      rulesPolicyBuilder({ limits: limits.map(limit) }).build();
    const burst = async (paymaster: { apiKey: string }, ops: readonly object[]) => {
      const outcomes = await Promise.all(ops.map((op) => outcome(paymaster, op)));
      return { granted: outcomes.filter((word) => word === 'granted').length, others: new Set(outcomes) };
    };
    const many = (count: number, changes: object = {}) =>
      Array.from({ length: count }, (_, nonce) => operation({ nonce: `0x${nonce.toString(16)}`, ...changes }));

    it('of one operation bound its cost', async () => {
      const costWei = await usualCostWei();
      const ofOperation = (amount: bigint) => paymasterWith([limited({ scope: 'OPERATION', measure: 'WEI', amount })]);
      expect(await outcome(ofOperation(costWei), operation())).toBe('granted');
      expect(await outcome(ofOperation(costWei - 1n), operation())).toBe('SPENDING_LIMIT_REACHED');
      const dearer = operation({ verificationGasLimit: '150001' });
      expect(await outcome(ofOperation(costWei), dearer)).toBe('SPENDING_LIMIT_REACHED');
    });

    it('of 7 operations grant exactly 7 of a parallel burst, over all clients', async () => {
      const paymaster = paymasterWith([limited({ amount: 7n })]);
      const { granted, others } = await burst(paymaster, many(40));
      expect([granted, [...others].sort()]).toEqual([7, ['SPENDING_LIMIT_REACHED', 'granted']]);
    });

    it('count an operation once, however often it is asked for', async () => {
      const paymaster = paymasterWith([limited({ amount: 2n })]);
      const sender = randomAddress();
      const again = operation({ sender, nonce: '0x5' });
      expect((await burst(paymaster, Array(6).fill(again))).granted).toBe(6);
      expect(await outcome(paymaster, operation({ sender, nonce: '0x05' }))).toBe('granted');
      expect(await outcome(paymaster, operation())).toBe('granted');
      expect(await outcome(paymaster, operation())).toBe('SPENDING_LIMIT_REACHED');
    });

    it('of an account leave others alone', async () => {
      await roomInWindow('DAY');
      const paymaster = paymasterWith([limited({ scope: 'USER', amount: 2n, cycle: 'DAY' })]);
      const sender = randomAddress();
      expect((await burst(paymaster, many(10, { sender }))).granted).toBe(2);
      const mixedCase = operation({ sender: sender.toUpperCase().replace('0X', '0x'), nonce: '0xff' });
      expect(await outcome(paymaster, mixedCase)).toBe('SPENDING_LIMIT_REACHED');
      expect(await outcome(paymaster, operation())).toBe('granted');
    });

    it('of wei hold the most that operations can cost', async () => {
      await roomInWindow('HOUR');
      const costWei = await usualCostWei();
      const paymaster = paymasterWith([limited({ measure: 'WEI', amount: 3n * costWei + 1n, cycle: 'HOUR' })]);
      expect((await burst(paymaster, many(12))).granted).toBe(3);
    });

    it('of another tenant are not used up by naming its sender and nonce', async () => {
      const [mine, foreign] = [paymasterWith([limited({})]), paymasterWith([limited({})])];
      const same = operation();
      expect(await outcome(foreign, same)).toBe('granted');
      expect(await outcome(mine, same)).toBe('granted');
      expect(await outcome(mine, operation())).toBe('SPENDING_LIMIT_REACHED');
    });

    it('in USD answer -32011 on a chain without prices, and sign nothing', async () => {
      const usd = limited({ measure: 'USD', amount: 5_000_000n });
      expect(await outcome(paymasterWith([usd]), operation())).toBe('503 -32011 PRICE_UNAVAILABLE');
      const wei = rulesPolicyBuilder().with('priority', -1).build();
      expect(await outcome(paymasterWith([usd, wei]), operation())).toBe('granted');
    });

    it('raised by the owner keep what is used', async () => {
      const first = limited({ amount: 1n });
      const { apiKey, snapshot } = paymasterWith([first]);
      expect(await outcome({ apiKey }, operation())).toBe('granted');
      expect(await outcome({ apiKey }, operation())).toBe('SPENDING_LIMIT_REACHED');
      const policies = [{ ...first, rules: { ...first.rules, limits: [limit({ amount: 2n })] } }];
      world.responder.set(apiKey, { ...snapshot, policies, version: 2 });
      await world.responder.broadcast({ paymasterId: snapshot.paymasterId, version: 2 });
      await until(async () => (await outcome({ apiKey }, operation())) === 'granted', 'the gateway obeys');
      expect(await outcome({ apiKey }, operation())).toBe('SPENDING_LIMIT_REACHED');
    });

    it('PAYMASTER_SA_LIMIT counts operations or wei, of all or of each account', async () => {
      const costWei = await usualCostWei();
      const start = { startTimeMs: Date.now() - 3_600_000, durationMs: 86_400_000 };
      const sender = randomAddress();
      const counted = paymasterWith([limitPolicyBuilder({ ...start, threshold: 3n }).build()]);
      expect((await burst(counted, many(9))).granted).toBe(3);
      const wei = paymasterWith([limitPolicyBuilder({ ...start, measure: 'WEI', threshold: 2n * costWei }).build()]);
      expect((await burst(wei, many(9))).granted).toBe(2);
      const each = paymasterWith([limitPolicyBuilder({ ...start, subject: 'SMART_ACCOUNT', threshold: 1n }).build()]);
      expect((await burst(each, many(5, { sender }))).granted).toBe(1);
      expect(await outcome(each, operation())).toBe('granted');
    });

    it('a share of them is all that one client can hold', async () => {
      const settings = { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps: { ...ROOMY, clientSharePercent: 50 } };
      const paymaster = paymasterWith([limited({ amount: 10n })], { settings });
      const { granted, others } = await burst(paymaster, many(30));
      expect([granted, [...others].sort()]).toEqual([5, ['TOO_MANY_LIVE_SIGNATURES', 'granted']]);
    });

    it('the first policy with room sponsors; restrictions bind all of them', async () => {
      const first = limited({ amount: 1n });
      const second = { ...limited({ amount: 2n }), priority: 1 };
      const paymaster = paymasterWith([second, first], explaining());
      expect((await explain(paymaster, operation()))['policyId']).toBe(first.policyId);
      expect(await outcome(paymaster, operation())).toBe('granted');
      expect((await explain(paymaster, operation()))['policyId']).toBe(second.policyId);
      expect((await burst(paymaster, many(10))).granted).toBe(2);
      const cycle = limitPolicyBuilder({ threshold: 2n, startTimeMs: Date.now() - 60_000 }).build();
      const restricted = paymasterWith([first, second, cycle]);
      expect((await burst(restricted, many(10))).granted).toBe(2);
    });

    it('refuse stubs too when they are used up, and stubs use nothing', async () => {
      const { apiKey } = paymasterWith([limited({ amount: 1n })]);
      const stub = async () =>
        (
          await ask(apiKey, 'pm_getPaymasterStubData', [
            operation(),
            '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
            '0x7a69',
            null,
          ])
        ).json;
      for (let i = 0; i < 3; i++) expect((await stub()).result).toBeDefined();
      expect(await outcome({ apiKey }, operation())).toBe('granted');
      expect((await stub()).error).toMatchObject({ code: -32501, data: { reason: 'SPENDING_LIMIT_REACHED' } });
    });

    it('and a wallet leave room for an operation that holds its own place', async () => {
      const fundingWallet = randomAddress();
      const paymaster = paymasterWith([limited({ amount: 1n })], { ...explaining(), fundingWallet });
      const contract = world.paymasters['0.7'];
      await world.ledger.setWallet({
        contract,
        wallet: fundingWallet,
        spendableWei: (3n * (await usualCostWei())) / 2n,
      });
      // No more than the gateway's own answer: a wallet with room for one operation has none for more than that.
      const least = {
        callGasLimit: `${ESTIMATED_CALL_GAS}`,
        verificationGasLimit: '90000',
        preVerificationGas: '45000',
      };
      const granted = operation({ ...least, maxPriorityFeePerGas: '0x1' });
      const again = async (op: object) => ({
        stub: (
          await ask(paymaster.apiKey, 'pm_getPaymasterStubData', [op, CANONICAL_ENTRY_POINTS['0.7'], '0x7a69', null])
        ).json.error?.data['reason'],
        explained: (await explain(paymaster, op))['reason'],
        granted: await outcome(paymaster, op),
      });

      expect(await outcome(paymaster, granted)).toBe('granted');
      // The gateway's knowledge of the wallet is at most a second old.
      await sleep(1_100);
      expect(await again(granted)).toEqual({ stub: undefined, explained: undefined, granted: 'granted' });
      expect(await outcome(paymaster, granted, { calculateGasLimits: true })).not.toMatch(/BALANCE_TOO_LOW/);
      expect(await again(operation())).toMatchObject({
        stub: 'SPENDING_LIMIT_REACHED',
        explained: 'FUNDING_WALLET_BALANCE_TOO_LOW',
      });
    });

    it('are shown in refusals only where the paymaster explains', async () => {
      await roomInWindow('DAY');
      const policy = { ...limited({ amount: 1n, cycle: 'DAY' }), name: 'Daily' };
      const [silent, open] = [paymasterWith([policy]), paymasterWith([policy], explaining())];
      for (const paymaster of [silent, open]) expect(await outcome(paymaster, operation())).toBe('granted');
      const { error: hidden } = (await sponsor(silent, operation())).json;
      expect(Object.keys(hidden?.data ?? {}).sort()).toEqual(['reason', 'requestId']);
      expect(hidden?.message).not.toMatch(/\d/);
      const { error: shown } = (await sponsor(open, operation())).json;
      const midnight = (Math.floor(now() / 86_400) + 1) * 86_400;
      expect(shown?.data).toMatchObject({
        rule: 'Daily: limit per PAYMASTER and DAY',
        limit: '1',
        used: '1',
        resetsAtSeconds: midnight,
        trace: expect.arrayContaining([
          expect.objectContaining({ rule: 'Daily: limit per PAYMASTER and DAY', outcome: 'refuse' }),
        ]),
      });
    });

    describe('pm_explain', () => {
      const ONCE = 'Once: limit per PAYMASTER and LIFETIME';

      it('shows the whole trace, costs and budgets, and changes nothing', async () => {
        const policy = { ...limited({ amount: 1n }), name: 'Once' };
        const paymaster = paymasterWith([policy], explaining());
        const op = operation();
        for (let i = 0; i < 5; i++) {
          expect(await explain(paymaster, op)).toMatchObject({
            sponsored: true,
            policyId: policy.policyId,
            gasLimits: { callGasLimit: '100000' },
            budgets: expect.arrayContaining([
              { ...{ rule: ONCE, unit: 'count', needed: '1', limit: '1' }, used: '0', held: '0' },
            ]),
            trace: expect.arrayContaining([
              { rule: 'methodsWhitelisted', input: '1 calls', outcome: 'pass' },
              { rule: ONCE, input: '1 count of 1', outcome: 'pass' },
            ]),
          });
        }
        const { rows } = await world.ledger.database.pool.query(
          'SELECT (SELECT count(*) FROM ledger.outbox WHERE payload::text LIKE $1)::int AS n',
          [`%${policy.policyId}%`],
        );
        expect(rows).toEqual([{ n: 0 }]);
        expect(await outcome(paymaster, op)).toBe('granted');
        expect(await explain(paymaster, operation())).toMatchObject({
          sponsored: false,
          reason: 'SPENDING_LIMIT_REACHED',
          details: { used: '1', limit: '1' },
          policyId: null,
        });
        expect(await explain(paymaster, op)).toMatchObject({
          sponsored: true,
          budgets: expect.arrayContaining([
            { ...{ rule: ONCE, unit: 'count', needed: '1', limit: '1' }, used: '1', held: '1' },
          ]),
        });
      });

      it('explains refusals of every kind, up to the rule that refused', async () => {
        const paymaster = paymasterWith([], explaining());
        const explained = await explain(paymaster, operation({}, single({ data: '0xdeadbeef' })));
        expect(explained).toMatchObject({
          sponsored: false,
          reason: 'METHOD_NOT_WHITELISTED',
          maxCostWei: null,
          gasLimits: null,
        });
        expect((explained['trace'] as object[]).at(-1)).toMatchObject({
          rule: 'methodsWhitelisted',
          outcome: 'refuse',
        });
        const poor = paymasterWith([], { ...explaining(), fundingWallet: null });
        expect(await explain(poor, operation())).toMatchObject({ sponsored: false, reason: 'FUNDING_WALLET_MISSING' });
      });

      it('is off unless the paymaster explains, and for token payments', async () => {
        const silent = await ask(paymasterWith([]).apiKey, 'pm_explain', [operation(), sponsoredMode()]);
        expect(silent.json.error).toMatchObject({ code: -32501, data: { reason: 'EXPLANATIONS_OFF' } });
        const { apiKey } = paymasterWith([], explaining());
        const mode = { mode: 'ERC20', tokenInfo: { preferredToken: randomAddress(), tokenList: [] } };
        const token = await ask(apiKey, 'pm_explain', [operation(), mode]);
        expect(token.json.error).toMatchObject({ code: -32602, data: { field: 'params[1].mode' } });
      });
    });
  });

  it('a policy with an unknown rule sponsors nothing', async () => {
    const broken = rulesPolicyBuilder({ arguments: [{ ...atMostTen, method: 'mint(address,uint)' }] }).build();
    expect(await outcome(paymasterWith([broken]), operation())).toBe('ARGUMENT_NOT_ALLOWED');
  });
});
