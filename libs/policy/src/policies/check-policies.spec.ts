import { Interface } from 'ethers';
import fc from 'fast-check';
import type {
  Address,
  ArgumentRule,
  Hex,
  KeyGrant,
  NativeRules,
  SpendingLimit,
  SponsorshipPolicy,
} from '@paymaster/domain';
import {
  keyGrantBuilder,
  limitPolicyBuilder,
  policySnapshotBuilder,
  randomAddress,
  rulesPolicyBuilder,
  sharedLimitsBuilder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { decodeCalls } from '../accounts/decode-calls';
import { compilePolicy } from './compile-policy';
import * as encode from '../testing/encode-calls';
import { checkPolicies, type PoliciesQuestion } from './check-policies';
import { claimLine } from './claim';
import { keyLimitClaims } from './key-limits';
import type { OperationCosts } from './native-rule';

fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });

const contract = randomAddress();
const sender = randomAddress();
const delegate = randomAddress();
const FACTORY: Address = '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985';
const MARKER: Address = '0x7702000000000000000000000000000000000000';
/** Wednesday. */
const NOW = Date.parse('2024-05-15T10:30:00Z') / 1_000;
const GWEI = 10n ** 9n;

type RulesPolicy = ReturnType<ReturnType<typeof rulesPolicyBuilder>['build']>;

interface Scenario {
  policies: readonly SponsorshipPolicy[];
  key?: KeyGrant;
  calls?: encode.TestCall[];
  callData?: Hex;
  from?: Address;
  factory?: Address;
  maxFeePerGas?: bigint;
  callGasLimit?: bigint;
  facts?: Partial<PoliciesQuestion>;
  costs?: Partial<OperationCosts> | null;
}

function check(scenario: Scenario) {
  const { policies, calls = [], facts, costs = {} } = scenario;
  const callData = scenario.callData ?? encode.encodeBatchOfTuples(calls);
  const operation = userOperationV07Builder('0.8')
    .with('sender', scenario.from ?? sender)
    .with('callData', callData)
    .with('factory', scenario.factory)
    .with('maxFeePerGas', scenario.maxFeePerGas ?? GWEI)
    .with('callGasLimit', scenario.callGasLimit ?? 100_000n)
    .build();
  const decoded = decodeCalls({ callData, entryPointVersion: '0.8' });
  return checkPolicies({
    policy: compiled(policies, scenario.key),
    operation,
    calls: decoded.understood ? decoded.calls : [],
    nowSeconds: NOW,
    baseFeePerGas: GWEI,
    eip7702Delegate: undefined,
    outcomes: new Map(),
    costs: costs === null ? undefined : { prechargeWei: 1_000n, estimatedCallGas: 100_000n, ...costs },
    ...facts,
  });
}

function compiled(policies: readonly SponsorshipPolicy[], key: KeyGrant | null = null) {
  return compilePolicy(
    policySnapshotBuilder().with('paymasterId', 'pm').with('policies', policies).with('key', key).build(),
  );
}

const refused = (reason: string) => expect.objectContaining({ allowed: false, reason });
const allowed = expect.objectContaining({ allowed: true });
const call = (changes: Partial<encode.TestCall> = {}) => ({
  to: contract,
  valueWei: 0n,
  data: '0x12345678',
  ...changes,
});

const erc20 = new Interface(['function mint(address,uint256)', 'function mint(address,uint256,bytes)']);
const mint = (amount: bigint) => call({ data: erc20.encodeFunctionData('mint(address,uint256)', [sender, amount]) });
const atMostTen: ArgumentRule = {
  contract,
  method: 'mint(address,uint256)',
  index: 1,
  operator: 'LTE',
  values: ['10'],
};
const limit = (changes: Partial<SpendingLimit> = {}): SpendingLimit => ({
  ...{ id: 'a', scope: 'USER', measure: 'WEI', amount: 5_000n, cycle: 'DAY' },
  ...changes,
});
const outcomes = (landed: number, reverted: number) => ({ outcomes: new Map([[60, { landed, reverted }]]) });
const breaker = { maxRevertPercent: 50, minOperations: 10, windowMinutes: 60 };

describe('checkPolicies', () => {
  it('should leave everything to the rest where there is no policy', () => {
    expect(check({ policies: [] })).toEqual({
      allowed: true,
      candidates: [expect.objectContaining({ policyId: null, priceMissing: false, claims: [] })],
      restrictions: [],
      trace: [],
    });
  });

  describe('native rules', () => {
    it.each<[string, Partial<NativeRules>, Omit<Scenario, 'policies'>, string | undefined]>([
      ['started', { startsAtSeconds: NOW }, {}, undefined],
      ['not started', { startsAtSeconds: NOW + 1 }, {}, 'POLICY_NOT_IN_FORCE'],
      ['not ended', { endsAtSeconds: NOW + 1 }, {}, undefined],
      ['ended', { endsAtSeconds: NOW }, {}, 'POLICY_NOT_IN_FORCE'],

      ['an allowed sender', { allowedSenders: [sender] }, {}, undefined],
      ['an allowed sender in another case', { allowedSenders: [sender] }, { from: upper(sender) }, undefined],
      ['another sender', { allowedSenders: [contract] }, {}, 'SENDER_NOT_ALLOWED'],
      ['nobody allowed', { allowedSenders: [] }, {}, 'SENDER_NOT_ALLOWED'],
      ['a denied sender', { deniedSenders: [sender] }, {}, 'SENDER_NOT_ALLOWED'],
      ['a denied sender in another case', { deniedSenders: [sender] }, { from: upper(sender) }, 'SENDER_NOT_ALLOWED'],
      ['allowed and denied', { allowedSenders: [sender], deniedSenders: [sender] }, {}, 'SENDER_NOT_ALLOWED'],
      ['another is denied', { deniedSenders: [contract] }, {}, undefined],

      ['value at its cap', { maxCallValueWei: 5n }, { calls: [call({ valueWei: 5n })] }, undefined],
      ['value above its cap', { maxCallValueWei: 5n }, { calls: [call(), call({ valueWei: 6n })] }, 'VALUE_TOO_HIGH'],
      ['value split over calls', { maxCallValueWei: 5n }, { calls: Array(3).fill(call({ valueWei: 5n })) }, undefined],
      ['total at its cap', { maxTotalValueWei: 10n }, { calls: Array(2).fill(call({ valueWei: 5n })) }, undefined],
      [
        'total split over calls',
        { maxTotalValueWei: 10n },
        { calls: Array(3).fill(call({ valueWei: 5n })) },
        'VALUE_TOO_HIGH',
      ],
      [
        'total that would wrap',
        { maxTotalValueWei: 10n },
        { calls: Array(2).fill(call({ valueWei: 2n ** 255n })) },
        'VALUE_TOO_HIGH',
      ],

      ['as many calls as allowed', { maxCallsPerOperation: 2 }, { calls: [call(), call()] }, undefined],
      ['a call too many', { maxCallsPerOperation: 1 }, { calls: [call(), call()] }, 'TOO_MANY_CALLS'],

      ['an argument within', { arguments: [atMostTen] }, { calls: [mint(10n)] }, undefined],
      ['an argument outside', { arguments: [atMostTen] }, { calls: [mint(11n)] }, 'ARGUMENT_NOT_ALLOWED'],
      [
        'an argument hidden in a batch',
        { arguments: [atMostTen] },
        { calls: [mint(1n), call(), mint(11n)] },
        'ARGUMENT_NOT_ALLOWED',
      ],
      [
        'an argument in a Safe batch',
        { arguments: [atMostTen] },
        { callData: encode.encodeSafeCalls([mint(1n), mint(11n)]) },
        'ARGUMENT_NOT_ALLOWED',
      ],
      [
        'an argument in an ERC-7579 batch',
        { arguments: [atMostTen] },
        { callData: encode.encodeErc7579Calls([mint(1n), mint(11n)]) },
        'ARGUMENT_NOT_ALLOWED',
      ],
      [
        'one of two conditions',
        { arguments: [atMostTen, { ...atMostTen, operator: 'GT', values: ['5'] }] },
        { calls: [mint(5n)] },
        'ARGUMENT_NOT_ALLOWED',
      ],
      [
        'call data too short',
        { arguments: [atMostTen] },
        { calls: [call({ data: '0x40c10f19' })] },
        'ARGUMENT_NOT_ALLOWED',
      ],
      [
        'the method of another contract',
        { arguments: [atMostTen] },
        { calls: [{ ...mint(11n), to: sender }] },
        undefined,
      ],
      [
        'a rule nobody can read',
        { arguments: [{ ...atMostTen, method: 'mint(uint)' }] },
        { calls: [call()] },
        'ARGUMENT_NOT_ALLOWED',
      ],

      ['a fee at its ceiling', { maxFeePercentOfBaseFee: 150 }, { maxFeePerGas: (3n * GWEI) / 2n }, undefined],
      [
        'a fee above its ceiling',
        { maxFeePercentOfBaseFee: 150 },
        { maxFeePerGas: (3n * GWEI) / 2n + 1n },
        'MAX_FEE_PER_GAS_TOO_HIGH',
      ],
      ['call gas at its ceiling', { maxCallGasPercentOfEstimate: 120 }, { callGasLimit: 120_000n }, undefined],
      [
        'call gas above its ceiling',
        { maxCallGasPercentOfEstimate: 120 },
        { callGasLimit: 120_001n },
        'CALL_GAS_ABOVE_ESTIMATE',
      ],
      [
        'call gas as estimated, at any percentage',
        { maxCallGasPercentOfEstimate: 1 },
        { callGasLimit: 100_000n },
        undefined,
      ],
      [
        'call gas before the estimate',
        { maxCallGasPercentOfEstimate: 1 },
        { callGasLimit: 9n ** 9n, costs: null },
        undefined,
      ],

      [
        'a delegate nobody lists',
        {},
        { factory: MARKER, facts: { eip7702Delegate: delegate } },
        'DELEGATE_NOT_ALLOWED',
      ],
      [
        'a delegate listed',
        { eip7702Delegates: [delegate] },
        { factory: MARKER, facts: { eip7702Delegate: upper(delegate) } },
        undefined,
      ],
      ['a delegate not known', { eip7702Delegates: [delegate] }, { factory: MARKER }, 'DELEGATE_NOT_ALLOWED'],
      [
        'a delegate nobody lists, without the marker',
        {},
        { facts: { eip7702Delegate: delegate } },
        'DELEGATE_NOT_ALLOWED',
      ],
      ['no delegation', { eip7702Delegates: [] }, {}, undefined],
      ['a factory listed', { accountFactories: [upper(FACTORY)] }, { factory: FACTORY }, undefined],
      ['a factory not listed', { accountFactories: [contract] }, { factory: FACTORY }, 'FACTORY_NOT_ALLOWED'],
      ['no factory', { accountFactories: [] }, {}, undefined],

      ['half of them reverted', { revertBreaker: breaker }, { facts: outcomes(10, 5) }, undefined],
      ['more than half reverted', { revertBreaker: breaker }, { facts: outcomes(10, 6) }, 'REVERT_RATE_TOO_HIGH'],
      ['all of few reverted', { revertBreaker: breaker }, { facts: outcomes(9, 9) }, undefined],
      ['outcomes not known', { revertBreaker: breaker }, {}, 'REVERT_RATE_TOO_HIGH'],

      ['wei of one operation', { limits: [limit({ scope: 'OPERATION', amount: 1_000n })] }, {}, undefined],
      [
        'too much wei of one operation',
        { limits: [limit({ scope: 'OPERATION', amount: 999n })] },
        {},
        'SPENDING_LIMIT_REACHED',
      ],
      [
        'no operation at all',
        { limits: [limit({ scope: 'OPERATION', measure: 'COUNT', amount: 0n })] },
        {},
        'SPENDING_LIMIT_REACHED',
      ],
      [
        'USD of one operation',
        usdOfOperation(3n),
        { costs: { prechargeWei: 10n ** 12n, microUsdPerNative: 3_000_000n } },
        undefined,
      ],
      [
        'too much USD of one, rounded up',
        usdOfOperation(3n),
        { costs: { prechargeWei: 10n ** 12n + 1n, microUsdPerNative: 3_000_000n } },
        'SPENDING_LIMIT_REACHED',
      ],
    ])('%s', (_title, rules, scenario, reason) => {
      const verdict = check({ ...scenario, policies: [rulesPolicyBuilder(rules).build()] });
      expect(verdict).toEqual(reason ? refused(reason) : allowed);
      expect(verdict.trace.at(-1)?.outcome === 'refuse').toBe(reason !== undefined);
    });

    it.each<[string, string, string, object | undefined, Partial<NativeRules>, Omit<Scenario, 'policies'>]>([
      [
        'inForce',
        `${NOW + 1} <= ${NOW} < ever`,
        'The policy that would sponsor the operation has not started yet',
        { startsAt: `${NOW + 1}`, endsAt: 'null' },
        { startsAtSeconds: NOW + 1 },
        {},
      ],
      [
        'inForce',
        `always <= ${NOW} < ${NOW}`,
        'The policy that would sponsor the operation has ended',
        { startsAt: 'null', endsAt: `${NOW}` },
        { endsAtSeconds: NOW },
        {},
      ],
      [
        'senders',
        `${sender} is denied`,
        `The account ${sender} is not sponsored by this paymaster`,
        undefined,
        { deniedSenders: [sender] },
        {},
      ],
      [
        'maxCallsPerOperation',
        '2 <= 1 calls',
        'The operation makes more calls than are sponsored in one operation',
        { value: '2', limit: '1' },
        { maxCallsPerOperation: 1 },
        { calls: [call(), call()] },
      ],
      [
        'callValue',
        '6 <= 5 wei',
        'One of the calls sends more native coin than is sponsored',
        { value: '6', limit: '5' },
        { maxCallValueWei: 5n },
        { calls: [call({ valueWei: 6n }), call({ valueWei: 1n })] },
      ],
      [
        'totalValue',
        '6 <= 5 wei',
        'The calls send more native coin than is sponsored',
        { value: '6', limit: '5' },
        { maxTotalValueWei: 5n },
        { calls: [call({ valueWei: 2n }), call({ valueWei: 4n })] },
      ],
      [
        'arguments',
        'argument 1 (uint256) of mint(address,uint256) LTE 10: 11',
        `A call to ${contract} has an argument that is not sponsored: method 0x40c10f19`,
        { rule: 'argument 1 (uint256) of mint(address,uint256) LTE 10', value: '11' },
        { arguments: [atMostTen] },
        { calls: [call(), mint(11n)] },
      ],
      [
        'arguments',
        "one of 1 argument rules can't be read: uint is no type of the ABI in its full form (uint256 rather than uint)",
        'A policy has an argument rule that can not be read, so it sponsors nothing',
        { rule: 'uint is no type of the ABI in its full form (uint256 rather than uint)' },
        { arguments: [{ ...atMostTen, method: 'mint(uint)' }] },
        {},
      ],
      [
        'eip7702Delegates',
        delegate,
        `Accounts that delegate to ${delegate} are not sponsored`,
        undefined,
        {},
        { facts: { eip7702Delegate: upper(delegate) } },
      ],
      [
        'eip7702Delegates',
        'unknown delegate',
        'Accounts that delegate to an unknown contract are not sponsored',
        undefined,
        {},
        { factory: MARKER },
      ],
      [
        'accountFactories',
        FACTORY,
        `Accounts of factory ${FACTORY} are not sponsored`,
        undefined,
        { accountFactories: [] },
        { factory: upper(FACTORY) },
      ],
      [
        'maxFeePercentOfBaseFee',
        '1000000001 <= 1000000000',
        'maxFeePerGas is too far above the base fee to be sponsored',
        { field: 'maxFeePerGas', value: '1000000001', limit: '1000000000' },
        { maxFeePercentOfBaseFee: 100 },
        { maxFeePerGas: GWEI + 1n },
      ],
      [
        'maxCallGasPercentOfEstimate',
        '120001 <= 120000',
        'callGasLimit is far above what the calls need',
        { field: 'callGasLimit', value: '120001', limit: '120000' },
        { maxCallGasPercentOfEstimate: 120 },
        { callGasLimit: 120_001n },
      ],
      [
        'revertBreaker',
        '6 of 10 reverted in 60 minutes',
        'Too many of the latest sponsored operations reverted, so sponsoring is paused for now',
        { value: '6 of 10 reverted in 60 minutes', limit: '50 %' },
        { revertBreaker: breaker },
        { facts: outcomes(10, 6) },
      ],
      [
        'revertBreaker',
        'outcomes are not known',
        'Too many of the latest sponsored operations reverted, so sponsoring is paused for now',
        { value: 'outcomes are not known', limit: '50 %' },
        { revertBreaker: breaker },
        {},
      ],
      [
        'operationLimits',
        '1000 <= 999 wei',
        'The operation could cost more than is sponsored for one operation',
        { rule: 'a', value: '1000', limit: '999' },
        { limits: [limit({ scope: 'OPERATION', amount: 999n })] },
        {},
      ],
    ])('should say what %s refuses, row %#', (rule, input, message, details, rules, scenario) => {
      const policy = rulesPolicyBuilder(rules).with('name', 'VIP').build();
      // Bounds on what the client itself sends are told to every client.
      const isPublic = details && 'field' in details ? { isPublic: true } : {};
      expect(check({ ...scenario, policies: [policy] })).toEqual({
        ...{ allowed: false, reason: expect.any(String), message, details, ...isPublic },
        trace: expect.arrayContaining([{ rule: `VIP: ${rule}`, input, outcome: 'refuse' }]),
      });
    });

    it.each<[string, string, 'pass' | 'skip', Partial<NativeRules>, Omit<Scenario, 'policies'>]>([
      ['inForce', `${NOW} <= ${NOW} < ever`, 'pass', { startsAtSeconds: NOW }, {}],
      ['senders', sender, 'pass', { deniedSenders: [contract] }, {}],
      ['maxCallsPerOperation', '0 <= 1 calls', 'pass', { maxCallsPerOperation: 1 }, {}],
      ['callValue', '0 <= 5 wei', 'pass', { maxCallValueWei: 5n }, {}],
      [
        'arguments',
        '2 calls with conditions',
        'pass',
        { arguments: [atMostTen] },
        { calls: [mint(1n), call(), mint(2n)] },
      ],
      ['eip7702Delegates', 'no delegation', 'skip', {}, {}],
      [
        'eip7702Delegates',
        delegate,
        'pass',
        { eip7702Delegates: [delegate] },
        { facts: { eip7702Delegate: delegate } },
      ],
      ['accountFactories', FACTORY, 'pass', { accountFactories: [FACTORY] }, { factory: FACTORY }],
      ['accountFactories', 'no deployment', 'skip', { accountFactories: [] }, {}],
      [
        'accountFactories',
        'no deployment',
        'skip',
        { accountFactories: [], eip7702Delegates: [delegate] },
        { factory: MARKER, facts: { eip7702Delegate: delegate } },
      ],
      ['maxFeePercentOfBaseFee', '1000000000 <= 1000000000', 'pass', { maxFeePercentOfBaseFee: 100 }, {}],
      ['maxCallGasPercentOfEstimate', '100000 <= 120000', 'pass', { maxCallGasPercentOfEstimate: 120 }, {}],
      ['maxCallGasPercentOfEstimate', 'not estimated yet', 'skip', { maxCallGasPercentOfEstimate: 1 }, { costs: null }],
      ['revertBreaker', '9 of 9 reverted in 60 minutes', 'pass', { revertBreaker: breaker }, { facts: outcomes(9, 9) }],
      ['operationLimits', '1 limits', 'pass', { limits: [limit({ scope: 'OPERATION' }), limit()] }, {}],
      [
        'operationLimits',
        'costs are not known yet',
        'skip',
        { limits: [limit({ scope: 'OPERATION' })] },
        { costs: null },
      ],
    ])('should show what %s saw, row %#', (rule, input, outcome, rules, scenario) => {
      const policy = rulesPolicyBuilder(rules).with('name', 'VIP').build();
      expect(check({ ...scenario, policies: [policy] }).trace).toContainEqual({ rule: `VIP: ${rule}`, input, outcome });
    });

    it('should not take a fault of the platform for a rule that nobody can read', () => {
      const broken = { ...atMostTen, values: undefined as never };
      expect(() => compiled([rulesPolicyBuilder({ arguments: [broken] }).build()])).toThrow(TypeError);
    });

    it('should be asked only where the policy has them', () => {
      const { trace } = check({
        policies: [
          rulesPolicyBuilder({ limits: [limit()] })
            .with('name', 'VIP')
            .build(),
        ],
      });
      expect(trace).toEqual([{ rule: 'VIP: eip7702Delegates', input: 'no delegation', outcome: 'skip' }]);
    });

    it('should keep limits and amounts out of the message', () => {
      const verdict = check({
        policies: [rulesPolicyBuilder({ arguments: [atMostTen] }).build()],
        calls: [mint(4_711n)],
      });
      // Words of their own: an address may have these digits too.
      expect(!verdict.allowed && verdict.message).not.toMatch(/\b(4711|LTE|10)\b/);
      expect(!verdict.allowed && verdict.details).toEqual({
        rule: 'argument 1 (uint256) of mint(address,uint256) LTE 10',
        value: '4711',
      });
    });
  });

  describe('several policies', () => {
    const named = (policyId: string, priority: number, rules: Partial<NativeRules> = {}) =>
      rulesPolicyBuilder(rules).with('policyId', policyId).with('name', policyId).with('priority', priority).build();
    const candidatesOf = (policies: SponsorshipPolicy[]) => {
      const verdict = check({ policies });
      return verdict.allowed ? verdict.candidates.map(({ policyId }) => policyId) : [];
    };

    it('should be tried by priority, then as they are listed, without those that refuse', () => {
      const policies = [named('c', 2), named('a', 1), named('no', 0, { allowedSenders: [] }), named('b', 1)];
      expect(candidatesOf(policies)).toEqual(['a', 'b', 'c']);
    });

    it('should refuse with the reason of the last when none allows, and show all of them', () => {
      const verdict = check({
        policies: [named('vip', 1, { allowedSenders: [] }), named('all', 2, { endsAtSeconds: NOW })],
      });
      expect(verdict).toEqual(refused('POLICY_NOT_IN_FORCE'));
      expect(verdict.trace).toEqual([
        { rule: 'vip: senders', input: `${sender} is not among the allowed`, outcome: 'refuse' },
        { rule: 'all: inForce', input: `always <= ${NOW} < ${NOW}`, outcome: 'refuse' },
      ]);
    });

    describe('where the client names one', () => {
      const asked = (id: string, policies: SponsorshipPolicy[]) => check({ policies, facts: { policyIds: [id] } });
      const policies = [named('a', 0), named('b', 1), named('vip', 2, { allowedSenders: [] })];

      it('should be asked no other, whatever its priority', () => {
        expect(asked('b', policies)).toMatchObject({ allowed: true, candidates: [{ policyId: 'b' }] });
        expect(asked('vip', policies)).toEqual(refused('SENDER_NOT_ALLOWED'));
      });

      it('should be asked beside the others named only, in the order of the paymaster', () => {
        const ordered = (...policyIds: string[]) => {
          const verdict = check({ policies: [...policies, named('c', 3)], facts: { policyIds } });
          return verdict.allowed && verdict.candidates.map(({ policyId }) => policyId);
        };
        expect(ordered('c', 'b')).toEqual(['b', 'c']);
        expect(ordered('c', 'vip', 'a', 'a')).toEqual(['a', 'c']);
      });

      it('should keep the restrictions in force', () => {
        const restriction = limitPolicyBuilder().with('policyId', 'r').build();
        expect(asked('a', [...policies, restriction])).toMatchObject({
          allowed: true,
          restrictions: [expect.anything()],
        });
        expect(() => asked('r', [...policies, restriction])).toThrow();
      });

      it('should never be taken for a paymaster without policies', () => {
        expect(() => asked('c', policies)).toThrow('there was no policy to ask');
        expect(() => asked('c', [])).toThrow('there was no policy to ask');
      });
    });

    describe('of any kind', () => {
      const aPolicy = fc.record({
        priority: fc.integer({ min: 0, max: 3 }),
        rules: fc.record<Partial<NativeRules>>(
          {
            allowedSenders: fc.constantFrom(null, [], [sender]),
            endsAtSeconds: fc.constantFrom(null, NOW, NOW + 1),
            maxCallsPerOperation: fc.constantFrom(null, 0, 1),
            limits: fc.constantFrom(
              ...[[], [limit()], [limit({ measure: 'USD' })], [limit({ scope: 'OPERATION', amount: 10n })]],
            ),
          },
          { requiredKeys: [] },
        ),
      });
      const somePolicies = fc
        .array(aPolicy, { minLength: 1, maxLength: 8 })
        .map((drawn) => drawn.map(({ priority, rules }, index) => named(`p${index}`, priority, rules)));
      /** By priority, and each as if it were the only one. */
      const eachAlone = (policies: readonly RulesPolicy[], costs?: null) =>
        [...policies]
          .sort((a, b) => a.priority - b.priority)
          .map((policy) => check({ policies: [policy], calls: [call()], ...(costs === null && { costs }) }));
      const candidatesIn = (verdict: ReturnType<typeof check>) =>
        verdict.allowed
          ? verdict.candidates.map(({ policyId, priceMissing, claims }) => ({ policyId, priceMissing, claims }))
          : [];

      it('should be the candidates that each is alone, and show what each shows alone', () => {
        fc.assert(
          fc.property(somePolicies, (policies) => {
            const alone = eachAlone(policies);
            const verdict = check({ policies, calls: [call()] });
            expect(candidatesIn(verdict)).toEqual(alone.flatMap(candidatesIn));
            expect(verdict.trace).toEqual(alone.flatMap(({ trace }) => trace));
            expect(verdict).toMatchObject(verdict.allowed ? {} : { ...alone.at(-1), trace: verdict.trace });
          }),
        );
      });

      it('should be asked before the costs are known until one may allow, and all where none may', () => {
        fc.assert(
          fc.property(somePolicies, (policies) => {
            const alone = eachAlone(policies, null);
            const first = alone.findIndex((each) => each.allowed);
            const asked = first === -1 ? alone : alone.slice(0, first + 1);
            const verdict = check({ policies, calls: [call()], costs: null });
            expect(verdict).toMatchObject({ ...asked.at(-1), trace: asked.flatMap(({ trace }) => trace) });
            expect(candidatesIn(verdict)).toEqual(asked.flatMap(candidatesIn));
          }),
        );
      });
    });

    it('should claim only the limits of each candidate', () => {
      const verdict = check({ policies: [named('a', 0, { limits: [limit()] }), named('b', 1)] });
      expect(verdict.allowed && verdict.candidates.map(({ claims }) => claims.length)).toEqual([1, 0]);
    });
  });

  describe('limits with a memory', () => {
    const claimsOf = (changes: Partial<SpendingLimit>, scenario: Omit<Scenario, 'policies'> = {}) => {
      const policy = rulesPolicyBuilder({ limits: [limit(changes)] })
        .with('policyId', 'p')
        .with('name', 'Daily')
        .build();
      const verdict = check({ ...scenario, policies: [policy] });
      return verdict.allowed ? verdict.candidates[0].claims : [];
    };
    const day = Date.parse('2024-05-15T00:00:00Z') / 1_000;

    it('should become a claim of the account', () => {
      expect(claimsOf({})).toEqual([
        {
          key: `pm:p:a:USER:WEI:DAY:${sender}:${day}`,
          live: false,
          unit: 'wei',
          amount: 1_000n,
          limit: 5_000n,
          endsAtSeconds: day + 86_400,
          refusal: {
            rule: 'Daily: limit per USER and DAY',
            reason: 'SPENDING_LIMIT_REACHED',
            message: expect.stringContaining(sender),
          },
        },
      ]);
    });

    it('should be one budget for a sender in any case, and one for the whole paymaster', () => {
      expect(claimsOf({}, { from: upper(sender) })[0]?.key).toBe(claimsOf({})[0]?.key);
      expect(claimsOf({ scope: 'PAYMASTER' }, { from: contract })[0]?.key).toBe(`pm:p:a:PAYMASTER:WEI:DAY:all:${day}`);
    });

    it('should be no claim where it is of one operation', () => {
      expect(claimsOf({ scope: 'OPERATION' })).toEqual([]);
    });

    it('should carry a price only where it counts USD', () => {
      expect(claimsOf({}, { costs: { microUsdPerNative: 3n } })[0]).not.toHaveProperty('microUsdPerNative');
    });

    it('should say whose limit is used up', () => {
      const messageOf = (changes: Partial<SpendingLimit>, facts: Partial<PoliciesQuestion> = {}) =>
        claimsOf(changes, { facts })[0]?.refusal.message;
      expect(messageOf({})).toBe(`The spending limit of account ${sender} is used up`);
      expect(messageOf({}, { user: 'user_here' })).toBe('The spending limit of this user is used up');
      expect(messageOf({ scope: 'PAYMASTER' })).toBe('The spending limit of this paymaster is used up');
    });

    it('should have one line in the trace', () => {
      const line = { rule: 'Daily: limit per USER and DAY', input: '1000 wei of 5000', outcome: 'refuse' };
      expect(claimsOf({}).map((claim) => claimLine(claim, 'refuse'))).toEqual([line]);
    });

    it('should count operations, and never end for a lifetime', () => {
      const [claim] = claimsOf({ measure: 'COUNT', cycle: 'LIFETIME', amount: 3n });
      expect(claim).toMatchObject({ unit: 'count', amount: 1n, limit: 3n, key: expect.stringMatching(/:ever$/) });
      expect(claim).not.toHaveProperty('endsAtSeconds');
    });

    it('should count USD at the price of now, rounded up', () => {
      const costs = { prechargeWei: 10n ** 12n + 1n, microUsdPerNative: 3_000_000n };
      expect(claimsOf({ measure: 'USD' }, { costs })[0]).toMatchObject({
        unit: 'microUsd',
        amount: 4n,
        microUsdPerNative: 3_000_000n,
      });
    });

    it('should mark a candidate whose USD nobody can count, and only that', () => {
      const verdict = check({
        policies: [
          rulesPolicyBuilder({ limits: [limit({ measure: 'USD' })] }).build(),
          rulesPolicyBuilder(usdOfOperation(1n)).build(),
          rulesPolicyBuilder({ limits: [limit()] }).build(),
        ],
      });
      expect(verdict.allowed && verdict.candidates).toMatchObject([
        { priceMissing: true, claims: [] },
        { priceMissing: true, claims: [] },
        { priceMissing: false, claims: [{ unit: 'wei' }] },
      ]);
    });

    it('should mark no candidate before the costs are known, nor where there is a price', () => {
      const policies = [rulesPolicyBuilder({ limits: [limit({ measure: 'USD' })] }).build()];
      const unmarked = { candidates: [{ priceMissing: false }] };
      expect(check({ policies, costs: null })).toMatchObject(unmarked);
      expect(check({ policies, costs: { microUsdPerNative: 1n } })).toMatchObject(unmarked);
    });

    it('should claim nothing before the costs are known', () => {
      expect(claimsOf({}, { costs: null })).toEqual([]);
    });

    it('should stay the same when asked again, and change its name with what it counts', () => {
      expect(claimsOf({})[0]?.key).toBe(claimsOf({ amount: 9n })[0]?.key);
      const keys = [claimsOf({}), claimsOf({ measure: 'COUNT' }), claimsOf({ cycle: 'WEEK' }), claimsOf({ id: 'b' })];
      expect(new Set(keys.map(([claim]) => claim?.key)).size).toBe(4);
    });
  });

  describe('PAYMASTER_SA_LIMIT', () => {
    const begunSeconds = NOW - 300;
    const start = (begunSeconds - 7_200) * 1_000;
    const claimOf = (changes: Parameters<typeof limitPolicyBuilder>[0], scenario: Omit<Scenario, 'policies'> = {}) => {
      const policy = limitPolicyBuilder({ startTimeMs: start, durationMs: 3_600_000, ...changes });
      const verdict = check({
        ...scenario,
        policies: [policy.with('policyId', 'p').with('name', 'Three hours').build()],
      });
      return verdict.allowed ? verdict.restrictions[0] : undefined;
    };

    it('should be a claim of the whole paymaster or of the account, in fixed windows from its start', () => {
      const window = { live: false, endsAtSeconds: begunSeconds + 3_600 };
      const reason = 'SPENDING_LIMIT_REACHED';
      expect(claimOf({ threshold: 10n })).toEqual({
        ...window,
        key: `pm:p:${start}:PAYMASTER:COUNT:all:${begunSeconds}`,
        unit: 'count',
        amount: 1n,
        limit: 10n,
        refusal: {
          rule: 'Three hours: limit per PAYMASTER',
          reason,
          message: 'The spending limit of this paymaster is used up for now',
        },
      });
      expect(claimOf({ subject: 'SMART_ACCOUNT', measure: 'WEI', threshold: 7n })).toEqual({
        ...window,
        key: `pm:p:${start}:SMART_ACCOUNT:WEI:${sender}:${begunSeconds}`,
        unit: 'wei',
        amount: 1_000n,
        limit: 7n,
        refusal: {
          rule: 'Three hours: limit per SMART_ACCOUNT',
          reason,
          message: `The spending limit of account ${sender} is used up for now`,
        },
      });
    });

    it('should start anew when it is edited', () => {
      expect(claimOf({ startTimeMs: start + 1 })?.key).not.toBe(claimOf({})?.key);
    });

    it('should claim nothing before the costs are known', () => {
      expect(claimOf({}, { costs: null })).toBeUndefined();
    });

    it('should restrict every policy', () => {
      const verdict = check({
        policies: [limitPolicyBuilder().build(), rulesPolicyBuilder().build(), rulesPolicyBuilder().build()],
      });
      expect(verdict).toMatchObject({
        candidates: [{ claims: [] }, { claims: [] }],
        restrictions: [{ key: expect.any(String) }],
      });
    });
  });

  describe('limits that paymasters share', () => {
    const shared = { ...limit({ measure: 'USD', cycle: 'LIFETIME' }), scope: 'PAYMASTER' as const };
    const costs = { prechargeWei: 10n ** 12n, microUsdPerNative: 3_000_000n };
    const limits = (changes: Partial<typeof shared | { scope: 'USER' }> = {}) =>
      sharedLimitsBuilder([{ ...shared, ...changes }])
        .with('policyId', 's')
        .with('name', 'All chains')
        .with('sharedVersion', 7)
        .build();
    const restrictionsOf = (scenario: Scenario) => {
      const verdict = check({ costs, ...scenario });
      return verdict.allowed ? verdict.restrictions : [];
    };

    it('should be one claim for whichever paymaster asks, with a version of its own', () => {
      expect(restrictionsOf({ policies: [limits()] })).toEqual([
        {
          ...{ key: 'shared:s:a:PAYMASTER:USD:LIFETIME:all:ever', live: false, unit: 'microUsd', amount: 3n },
          ...{ limit: 5_000n, version: 7, microUsdPerNative: 3_000_000n },
          refusal: {
            rule: 'All chains: shared limit per PAYMASTER and LIFETIME',
            reason: 'SPENDING_LIMIT_REACHED',
            message: 'The spending limit that this paymaster shares with others is used up',
          },
        },
      ]);
    });

    it('should count a user by the name that he has for all paymasters, else the account', () => {
      const policies = [limits({ scope: 'USER' })];
      const facts = { user: 'user_here', sharedUser: 'user_anywhere' };
      expect(restrictionsOf({ policies })[0]?.key).toBe(`shared:s:a:USER:USD:LIFETIME:${sender}:ever`);
      expect(restrictionsOf({ policies, facts })[0]?.key).toBe('shared:s:a:USER:USD:LIFETIME:user_anywhere:ever');
    });

    it('should restrict every policy, and leave each without an answer while there is no price', () => {
      for (const policies of [[limits()], [limits(), rulesPolicyBuilder().build(), rulesPolicyBuilder().build()]]) {
        expect(restrictionsOf({ policies })).toHaveLength(1);
        const verdict = check({ policies });
        expect(verdict.allowed && verdict.candidates.every(({ priceMissing }) => priceMissing)).toBe(true);
        expect(verdict.allowed && verdict.restrictions).toEqual([]);
        expect(compiled(policies).policies.needs.price).toBe(true);
      }
    });

    it('should be those of a shared policy where that is the candidate', () => {
      const policy = rulesPolicyBuilder({ limits: [limit({ cycle: 'LIFETIME' })] }).with('policyId', 'r');
      const verdict = check({ policies: [policy.with('sharedVersion', 3).build()] });
      expect(verdict.allowed && verdict.candidates[0].claims).toMatchObject([
        { key: `shared:r:a:USER:WEI:LIFETIME:${sender}:ever`, version: 3 },
      ]);
    });
  });

  describe('an API key', () => {
    const [a, b] = ['a', 'b'].map((policyId) => rulesPolicyBuilder().with('policyId', policyId).build());
    const only = (...policyIds: string[]) => keyGrantBuilder().with('policyIds', policyIds).build();

    it('should be sponsored by the policies that it may use, and by no other', () => {
      const candidatesFor = (key: KeyGrant) => {
        const verdict = check({ policies: [a!, b!], key });
        return verdict.allowed ? verdict.candidates.map(({ policyId }) => policyId) : verdict;
      };
      expect(candidatesFor(keyGrantBuilder().build())).toEqual(['a', 'b']);
      expect(candidatesFor(only('b'))).toEqual(['b']);
      for (const key of [only(), only('c')]) {
        expect(candidatesFor(key)).toEqual({
          allowed: false,
          reason: 'KEY_POLICIES_NOT_IN_FORCE',
          message: 'The API key may use certain policies only, and none of them is active',
          trace: [{ rule: 'policies of the API key', input: 'none is active', outcome: 'refuse' }],
        });
      }
    });

    const day = Date.parse('2024-05-15T00:00:00Z') / 1_000;
    const ofKey = { id: 'l', measure: 'WEI', amount: 9n, cycle: 'DAY' } as const;
    const claimsOf = (limits: KeyGrant['limits'], user?: string) => {
      const key = keyGrantBuilder().with('keyId', 'k').with('limits', limits).build();
      const operation = userOperationV07Builder('0.8').with('sender', sender).build();
      const priced = { operation, user, nowSeconds: NOW, costs: { prechargeWei: 1_000n } };
      return keyLimitClaims(compiled([], key).policies.keyLimits, priced);
    };

    it('should have limits of its own, besides those of policies', () => {
      const claim = { live: false, unit: 'wei', amount: 1_000n, limit: 9n, endsAtSeconds: day + 86_400 };
      const reason = 'KEY_LIMIT_REACHED';
      expect(claimsOf([{ ...ofKey, scope: 'KEY' }])).toEqual([
        {
          ...claim,
          key: `pm:key_k:l:PAYMASTER:WEI:DAY:all:${day}`,
          refusal: {
            rule: 'API key: limit per KEY and DAY',
            reason,
            message: 'The spending limit of this API key is used up',
          },
        },
      ]);
      expect(claimsOf([{ ...ofKey, scope: 'USER' }], 'user_here')).toEqual([
        {
          ...claim,
          key: `pm:key_k:l:USER:WEI:DAY:user_here:${day}`,
          refusal: {
            rule: 'API key: limit per USER and DAY',
            reason,
            message: 'The spending limit of this user is used up',
          },
        },
      ]);
      expect(claimsOf([])).toEqual([]);
      expect(compiled([]).policies.keyLimits).toEqual([]);
    });

    it('should have no limit in USD claimed without a price', () => {
      const limits = [{ ...ofKey, scope: 'KEY', measure: 'USD' }] as const;
      expect(() => claimsOf(limits)).toThrow('a limit of a key is counted in USD, and no price was given');
      const needsPrice = (of: KeyGrant['limits']) =>
        compiled([], keyGrantBuilder().with('limits', of).build()).policies.keyLimitsNeedPrice;
      expect([needsPrice(limits), needsPrice([{ ...ofKey, scope: 'KEY' }]), needsPrice([])]).toEqual([
        true,
        false,
        false,
      ]);
      expect(compiled([]).policies.keyLimitsNeedPrice).toBe(false);
    });
  });

  describe('what must be found out before the policies are asked', () => {
    const nothing = { estimate: false, price: false, outcomesOfMinutes: [] };

    it.each<[string, SponsorshipPolicy[], object]>([
      [
        'nothing',
        [rulesPolicyBuilder({ limits: [limit()] }).build(), sharedLimitsBuilder([limit() as never]).build()],
        {},
      ],
      ['an estimate', [rulesPolicyBuilder({ maxCallGasPercentOfEstimate: 1 }).build()], { estimate: true }],
      ['a price', [rulesPolicyBuilder(usdOfOperation(1n)).build()], { price: true }],
      [
        'outcomes, each window once',
        [60, 5, 60].map((windowMinutes) =>
          rulesPolicyBuilder({ revertBreaker: { ...breaker, windowMinutes } }).build(),
        ),
        { outcomesOfMinutes: [60, 5] },
      ],
    ])('should be %s', (_title, policies, needs) => {
      const all = [rulesPolicyBuilder().build(), ...policies, rulesPolicyBuilder().build()];
      expect(compiled(all).policies.needs).toEqual({ ...nothing, ...needs });
    });

    it('should be the delegates that any policy lists', () => {
      const policies = [{ eip7702Delegates: [upper(delegate)] }, {}, { eip7702Delegates: [contract] }];
      const { eip7702Delegates } = compiled(policies.map((rules) => rulesPolicyBuilder(rules).build())).policies;
      expect([...eip7702Delegates]).toEqual([delegate, contract]);
    });

    it('should be webhooks, where there are any', () => {
      const webhook = { url: 'https://example.org' } as never;
      const policy = { policyId: 'w', name: 'Ask', type: 'WEBHOOK', webhook } as const;
      expect(compiled([rulesPolicyBuilder().build(), policy]).policies.webhooks).toEqual([webhook]);
    });
  });
});

function usdOfOperation(amount: bigint): Partial<NativeRules> {
  return { limits: [limit({ scope: 'OPERATION', measure: 'USD', amount })] };
}

function upper(address: Address): Address {
  return address.toUpperCase().replace('0X', '0x') as Address;
}
