import {
  DEFAULT_LIVE_SIGNATURE_CAPS,
  DEFAULT_PAYMASTER_SETTINGS,
  MAX_POLICY_LIMITS,
  type SponsorshipPolicy,
} from '@paymaster/domain';
import {
  limitPolicyBuilder,
  nativeRulesBuilder,
  policySnapshotBuilder,
  randomAddress,
  rulesPolicyBuilder,
  sharedLimitsBuilder,
} from '@paymaster/domain/testing';
import { fromMessage, toMessage } from './policy-messages';
import { MalformedSnapshotError } from './snapshot-shape';
import {
  MAX_POLICIES_BYTES,
  MAX_SNAPSHOT_POLICIES,
  policiesBytes,
  toPolicyMessage,
} from './sponsorship-policy-message';

const everyRule = nativeRulesBuilder()
  .with('startsAtSeconds', 1_700_000_000)
  .with('endsAtSeconds', 1_800_000_000)
  .with('allowedSenders', [randomAddress()])
  .with('deniedSenders', [randomAddress()])
  .with('maxCallValueWei', 0n)
  .with('maxTotalValueWei', 2n ** 200n)
  .with('maxCallsPerOperation', 128)
  .with('arguments', [
    { contract: randomAddress(), method: 'mint(address,uint256)', index: 1, operator: 'LTE', values: ['10'] },
  ])
  .with('maxFeePercentOfBaseFee', 150)
  .with('maxCallGasPercentOfEstimate', 120)
  .with('eip7702Delegates', [])
  .with('accountFactories', [randomAddress()])
  .with('revertBreaker', { maxRevertPercent: 50, minOperations: 10, windowMinutes: 60 })
  .with('limits', [{ id: 'day', scope: 'USER', measure: 'USD', amount: 5_000_000n, cycle: 'DAY' }])
  .build();

const policies: SponsorshipPolicy[] = [
  limitPolicyBuilder({ threshold: 2n ** 200n, measure: 'WEI' }).build(),
  { policyId: 'deploy', name: 'Deployments', type: 'WALLET_DEPLOYMENT' },
  {
    policyId: 'hook',
    name: 'Hook',
    type: 'WEBHOOK',
    webhook: { webhookId: 'w1', url: 'https://example.org/hook', method: 'POST', secretVersions: [2, 1] },
  },
  rulesPolicyBuilder(everyRule).build(),
  rulesPolicyBuilder().with('priority', -1).build(),
  rulesPolicyBuilder().with('sharedVersion', 3).build(),
  sharedLimitsBuilder([{ id: 'all', scope: 'PAYMASTER', measure: 'USD', amount: 5_000_000n, cycle: 'MONTH' }]).build(),
];

const message = toMessage(policySnapshotBuilder().build());
const read = (changes: object) => fromMessage({ ...message, ...changes }, message.chainId);
const limit = toPolicyMessage(limitPolicyBuilder().build());
const rules = toPolicyMessage(rulesPolicyBuilder(everyRule).build()) as { rules: object };
const sharedLimits = toPolicyMessage(sharedLimitsBuilder().build());
const withRules = (changes: object) => ({ ...rules, rules: { ...rules.rules, ...changes } });

describe('policies in snapshot messages', () => {
  it('survive JSON, one of each type and with every rule', () => {
    const snapshot = policySnapshotBuilder().with('policies', policies).build();
    expect(fromMessage(JSON.parse(JSON.stringify(toMessage(snapshot))), snapshot.chainId)).toEqual(snapshot);
  });

  it.each(['\u{1F680}'.repeat(100), '\u2764\uFE0F'.repeat(100)])(
    'may have any name that owners give them: %s',
    (name) => {
      expect(read({ policies: [{ ...limit, name }] }).policies).toMatchObject([{ name }]);
    },
  );

  it('are read without a rule that an older dashboard does not know', () => {
    const { maxCallsPerOperation, ...before } = rules.rules as Record<string, unknown>;
    expect(maxCallsPerOperation).toBe(128);
    expect(read({ policies: [{ ...rules, rules: before }] }).policies).toMatchObject([
      { rules: { maxCallsPerOperation: null, maxCallValueWei: 0n } },
    ]);
    expect(toPolicyMessage(rulesPolicyBuilder().build())).not.toHaveProperty('rules.maxCallsPerOperation');
  });

  it.each<[string, string, unknown]>([
    ['no list', 'policies', undefined],
    ['null', 'policies.0.type', [null]],
    ['an unknown type', 'policies.0.type', [{ ...limit, type: 'DISCOUNT' }]],
    ['a type every object has', 'policies.0.type', [{ ...limit, type: 'constructor' }]],
    ['no type', 'policies.0.type', [{ policyId: 'a', name: 'a' }]],
    ['an id with a colon', 'policies.0.policyId', [{ ...limit, policyId: 'a:b' }]],
    ['an id there twice', 'policies', [limit, limit]],
    ['no name', 'policies.0.name', [{ ...limit, name: '' }]],
    ['a field nobody knows', 'policies.0.discount', [{ ...limit, discount: 1 }]],
    ['a rule nobody knows', 'policies.0.rules.maxOwners', [withRules({ maxOwners: 3 })]],
    ['a rule left out', 'policies.0.rules.maxCallValueWei', [withRules({ maxCallValueWei: undefined })]],
    [
      'a limit as a number',
      'policies.0.limit.threshold',
      [{ ...limit, limit: { ...(limit as { limit: object }).limit, threshold: 3 } }],
    ],
    [
      'a cycle of no time',
      'policies.0.limit.durationMs',
      [{ ...limit, limit: { ...(limit as { limit: object }).limit, durationMs: 0 } }],
    ],
    [
      'an address in upper case',
      'policies.0.rules.deniedSenders.0',
      [withRules({ deniedSenders: [`0x${'A'.repeat(40)}`] })],
    ],
    [
      'an unknown scope',
      'policies.0.rules.limits.0.scope',
      [withRules({ limits: [{ id: 'a', scope: 'TEAM', measure: 'WEI', amount: '1', cycle: 'DAY' }] })],
    ],
    ['shared limits without a version', 'policies.0.sharedVersion', [{ ...sharedLimits, sharedVersion: undefined }]],
    [
      'a shared limit of one operation, which needs no memory',
      'policies.0.limits.0.scope',
      [{ ...sharedLimits, limits: [{ id: 'a', scope: 'OPERATION', measure: 'USD', amount: '1', cycle: 'DAY' }] }],
    ],
    ['a percentage of zero', 'policies.0.rules.maxFeePercentOfBaseFee', [withRules({ maxFeePercentOfBaseFee: 0 })]],
    [
      'a percentage below what it follows',
      'policies.0.rules.maxFeePercentOfBaseFee',
      [withRules({ maxFeePercentOfBaseFee: 99 })],
    ],
    [
      'a percentage above 100,000',
      'policies.0.rules.maxCallGasPercentOfEstimate',
      [withRules({ maxCallGasPercentOfEstimate: 100_001 })],
    ],
    ['a field of every object', 'policies.0.rules.constructor', [withRules({ constructor: 5 })]],
    ['a prototype', 'policies.0.rules.__proto__', [withRules(JSON.parse('{"__proto__":5}') as object)]],
    [
      'a fractional percentage',
      'policies.0.rules.maxFeePercentOfBaseFee',
      [withRules({ maxFeePercentOfBaseFee: 1.5 })],
    ],
    [
      'a breaker without a least number',
      'policies.0.rules.revertBreaker.minOperations',
      [withRules({ revertBreaker: { maxRevertPercent: 1, windowMinutes: 1 } })],
    ],
    [
      'more policies than fit',
      'policies',
      Array.from({ length: 2 * MAX_SNAPSHOT_POLICIES }, (_, i) => ({ ...limit, policyId: `${i}` })),
    ],
    [
      'more limits than fit',
      'policies.0.rules.limits',
      [
        withRules({
          limits: Array.from({ length: MAX_POLICY_LIMITS + 1 }, (_, i) => ({
            ...{ id: `${i}`, scope: 'USER', measure: 'WEI', amount: '1', cycle: 'DAY' },
          })),
        }),
      ],
    ],
    [
      'two limits of one id',
      'policies.0.rules.limits',
      [withRules({ limits: Array(2).fill({ id: 'a', scope: 'USER', measure: 'WEI', amount: '1', cycle: 'DAY' }) })],
    ],
    [
      'more addresses than fit',
      'policies.0.rules.deniedSenders',
      [withRules({ deniedSenders: Array(1_001).fill(randomAddress()) })],
    ],
    [
      'a method without arguments in brackets',
      'policies.0.rules.arguments.0.method',
      [withArgument({ method: 'mint' })],
    ],
    ['a value that is no literal', 'policies.0.rules.arguments.0.values.0', [withArgument({ values: ['ten'] })]],
    ['an operator nobody knows', 'policies.0.rules.arguments.0.operator', [withArgument({ operator: 'LIKE' })]],
  ])('are refused with %s', (_title, path, broken) => {
    expect(() => read({ policies: broken })).toThrow(new MalformedSnapshotError(path));
  });

  it('are refused when they are too many bytes together', () => {
    const addresses = Array.from({ length: 1_000 }, () => randomAddress());
    const one = (id: number) => ({ ...withRules({ deniedSenders: addresses }), policyId: `${id}` });
    expect(policiesBytes([one(1)] as never)).toBeLessThan(MAX_POLICIES_BYTES);
    expect(read({ policies: [one(1)] }).policies).toHaveLength(1);
    expect(() => read({ policies: [one(1), one(2), one(3)] })).toThrow(new MalformedSnapshotError('policies'));
  });
});

describe('caps on live signatures in snapshot messages', () => {
  it.each<[string, unknown]>([
    ['none', undefined],
    ['a share of nothing', { ...DEFAULT_LIVE_SIGNATURE_CAPS, clientSharePercent: 0 }],
    ['a share above all', { ...DEFAULT_LIVE_SIGNATURE_CAPS, clientSharePercent: 101 }],
    ['no signature per sender', { ...DEFAULT_LIVE_SIGNATURE_CAPS, perSender: 0 }],
    ['text', { ...DEFAULT_LIVE_SIGNATURE_CAPS, perClient: '4' }],
  ])('are refused with %s', (_title, liveSignatureCaps) => {
    expect(() => read({ settings: { ...message.settings, liveSignatureCaps } })).toThrow(
      new MalformedSnapshotError('settings.liveSignatureCaps'),
    );
  });

  it('survive', () => {
    const liveSignatureCaps = { perSender: 1, perClient: 2, perPaymaster: 3, clientSharePercent: 100 };
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps };
    const snapshot = policySnapshotBuilder().with('settings', settings).build();
    expect(fromMessage(toMessage(snapshot), snapshot.chainId).settings).toEqual(settings);
  });
});

function withArgument(changes: object) {
  const argument = { contract: randomAddress(), method: 'f(uint256)', index: 0, operator: 'EQ', values: ['1'] };
  return withRules({ arguments: [{ ...argument, ...changes }] });
}
