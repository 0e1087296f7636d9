import { concat, encodeFunctionData, pad, parseAbi } from 'viem';
import { placeAccounts } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { execute, executeBatch } from '../support/call-data';
import { RESET, TIP } from '../support/demo-contract';
import { rules, type Given, type PolicyWorld, type RuleStory } from '../support/policies';
import { delegationStories } from './delegations';

export const mintAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function mint(address to, uint256 amount, bytes data)',
]);
/** A contract with an overloaded method, of which the first is whitelisted. */
export const nft = randomAddress();
const [alice, bob] = [randomAddress(), randomAddress()];
const now = (): number => Math.floor(Date.now() / 1_000);
const shouted = (hex: string): string => `0x${hex.slice(2).toUpperCase()}`;
/** An operation of a deployed account. */
const from =
  (sender: string) =>
  async ({ world }: { world: PolicyWorld }) => {
    await placeAccounts(world.stack.chainRpc, { first: BigInt(sender), count: 1 });
    return world.operation({ sender });
  };

const tip =
  (...valuesWei: readonly bigint[]) =>
  ({ world }: Given): object => {
    const calls = valuesWei.map((valueWei) => ({ to: world.stack.demoContract.address, data: TIP, valueWei }));
    const [only] = calls;
    return world.operation({}, only && calls.length === 1 ? execute(only) : executeBatch('0.7', calls));
  };

const mint = (amount: bigint): Hex =>
  encodeFunctionData({ abi: [mintAbi[0]], functionName: 'mint', args: [alice, amount] });
const minting =
  (...datas: readonly Hex[]) =>
  ({ world }: Given): object =>
    world.operation(
      {},
      executeBatch(
        '0.7',
        datas.map((data) => ({ to: nft, data })),
      ),
    );
const overloaded = encodeFunctionData({ abi: [mintAbi[1]], functionName: 'mint', args: [alice, 11n, '0x'] });
/** An address with a bit set above its 20 bytes: read otherwise by what ignores it. */
const dirty = concat([mint(1n).slice(0, 10) as Hex, `0x01${pad(alice).slice(4)}`, pad('0x1')]);

const feeOf =
  (spell: (wei: bigint) => string, timesBaseFee: bigint) =>
  async ({ world, baseFeeWei }: Given): Promise<object> =>
    world.operation({ maxFeePerGas: spell((await baseFeeWei()) * timesBaseFee), maxPriorityFeePerGas: '0x1' });
const hex = (wei: bigint): string => `0x${wei.toString(16)}`;

const callGas =
  (callGasLimit: string) =>
  async ({ world }: Given): Promise<object> => ({ ...(await world.deployment('0.7')), callGasLimit });

/** Corpus of docs/architecture/rules.md: every rule that needs no ledger. */
export const ruleStories: readonly RuleStory[] = [
  {
    rule: 'startsAt',
    policy: () => rules({ startsAt: now() + 300, endsAt: now() + 86_400 }),
    cases: [
      { title: 'before', outcome: 'POLICY_NOT_IN_FORCE', ask: ({ world }) => world.operation() },
      // The signature would be valid when the policy is in force.
      {
        ...{ title: 'before, valid for longer', outcome: 'POLICY_NOT_IN_FORCE', mode: { expiryDuration: 600 } },
        ask: ({ world }) => world.operation(),
      },
    ],
  },
  {
    rule: 'endsAt',
    policy: () => rules({ startsAt: now() - 600, endsAt: now() + 86_400 }),
    cases: [{ title: 'in between', outcome: 'granted', ask: ({ world }) => world.operation() }],
  },
  {
    rule: 'endsAt, gone by',
    policy: () => rules({ endsAt: now() - 60 }),
    cases: [{ title: 'afterwards', outcome: 'POLICY_NOT_IN_FORCE', ask: ({ world }) => world.operation() }],
  },
  {
    rule: 'senders',
    policy: () => rules({ senders: { allow: [alice, bob], deny: [bob] } }),
    cases: [
      { title: 'allowed', outcome: 'granted', ask: from(alice) },
      { title: 'allowed, shouted', outcome: 'granted', ask: from(shouted(alice)) },
      { title: 'a stranger', outcome: 'SENDER_NOT_ALLOWED', ask: ({ world }) => world.operation() },
      { title: 'denied', outcome: 'SENDER_NOT_ALLOWED', ask: from(bob) },
      { title: 'denied, shouted', outcome: 'SENDER_NOT_ALLOWED', ask: from(shouted(bob)) },
    ],
  },
  {
    rule: 'maxCallValueWei',
    policy: () => rules({ maxCallValueWei: '5' }),
    cases: [
      { title: 'as much', outcome: 'granted', ask: tip(5n) },
      { title: 'more', outcome: 'VALUE_TOO_HIGH', ask: tip(6n) },
      { title: 'more, behind less', outcome: 'VALUE_TOO_HIGH', ask: tip(1n, 6n) },
    ],
  },
  {
    rule: 'maxTotalValueWei',
    policy: () => rules({ maxTotalValueWei: '5' }),
    cases: [
      { title: 'as much', outcome: 'granted', ask: tip(2n, 3n) },
      { title: 'more, in parts', outcome: 'VALUE_TOO_HIGH', ask: tip(3n, 3n) },
      { title: 'zero, by overflow', outcome: 'VALUE_TOO_HIGH', ask: tip(1n << 255n, 1n << 255n) },
    ],
  },
  {
    rule: 'arguments',
    policy: () =>
      rules({
        arguments: [
          { contract: nft, method: 'mint(address,uint256)', index: 1, operator: 'LTE', value: '10' },
          { contract: nft, method: 'mint(address,uint256)', index: 0, operator: 'IN', value: [alice] },
        ],
      }),
    cases: [
      { title: 'as much', outcome: 'granted', ask: minting(mint(10n)) },
      { title: 'more', outcome: 'ARGUMENT_NOT_ALLOWED', ask: minting(mint(11n)) },
      { title: 'more, behind less', outcome: 'ARGUMENT_NOT_ALLOWED', ask: minting(mint(1n), mint(11n)) },
      { title: 'cut short', outcome: 'ARGUMENT_NOT_ALLOWED', ask: minting(mint(10n).slice(0, -64) as Hex) },
      { title: 'an address with dirt on it', outcome: 'ARGUMENT_NOT_ALLOWED', ask: minting(dirty) },
      { title: 'by the overload', outcome: 'METHOD_NOT_WHITELISTED', ask: minting(overloaded) },
    ],
  },
  {
    rule: 'maxFeePercentOfBaseFee',
    // Far from both cases: some blocks may pass until the gateway judges. The world's own bound is five times.
    policy: () => rules({ maxFeePercentOfBaseFee: 10_000 }),
    cases: [
      { title: 'four times', outcome: 'granted', ask: feeOf(hex, 4n) },
      { title: 'a thousand times', outcome: 'MAX_FEE_PER_GAS_TOO_HIGH', ask: feeOf(hex, 1_000n) },
      { title: 'as decimal text', outcome: 'MAX_FEE_PER_GAS_TOO_HIGH', ask: feeOf(String, 1_000n) },
      {
        ...{ title: 'with zeros in front', outcome: 'MAX_FEE_PER_GAS_TOO_HIGH' },
        ask: feeOf((wei) => `0x000${wei.toString(16)}`, 1_000n),
      },
    ],
  },
  {
    rule: 'maxCallGasPercentOfEstimate',
    // What the rule allows is below the chain's own bound: three times what was measured, and 150,000.
    policy: () => rules({ maxCallGasPercentOfEstimate: 300 }),
    cases: [
      { title: 'within', outcome: 'granted', ask: callGas('0x186a0') },
      { title: 'far above', outcome: 'CALL_GAS_ABOVE_ESTIMATE', ask: callGas('0x3d090') },
      { title: 'far above, as decimal text', outcome: 'CALL_GAS_ABOVE_ESTIMATE', ask: callGas('250000') },
      {
        ...{ title: 'far above, ours taken instead', outcome: 'granted', mode: { calculateGasLimits: true } },
        ask: callGas('250000'),
      },
    ],
  },
  {
    rule: 'accountFactories',
    policy: ({ world }) => rules({ accountFactories: [world.stack.accountFactories['0.7']] }),
    cases: [
      { title: 'no deployment', outcome: 'granted', ask: ({ world }) => world.operation() },
      { title: 'this one', outcome: 'granted', ask: ({ world }) => world.deployment('0.7') },
      {
        ...{ title: 'another known one', outcome: 'FACTORY_NOT_ALLOWED' },
        ask: ({ world }) => world.operation({ factory: world.stack.accountFactories['0.8'], factoryData: '0x01' }),
      },
      {
        ...{ title: 'another, in initCode', outcome: 'FACTORY_NOT_ALLOWED' },
        ask: ({ world }) => world.deployment('0.6'),
      },
    ],
  },
  ...delegationStories,
  {
    rule: 'WALLET_DEPLOYMENT',
    policy: () => ({ name: 'Deployments', policyType: 'WALLET_DEPLOYMENT', policyData: {} }),
    cases: [
      { title: 'a deployment alone', outcome: 'granted', ask: ({ world }) => world.deployment('0.7', '0x') },
      { title: 'in initCode', outcome: 'granted', ask: ({ world }) => world.deployment('0.6', '0x') },
      {
        ...{ title: 'by a stranger', outcome: 'UNKNOWN_ACCOUNT_FACTORY' },
        ask: ({ world }) => world.operation({ factory: bob, factoryData: '0x01' }, '0x'),
      },
      { title: 'of nothing', outcome: 'NOTHING_TO_SPONSOR', ask: ({ world }) => world.operation({}, '0x') },
      {
        ...{ title: 'with a call that is not listed', outcome: 'METHOD_NOT_WHITELISTED' },
        ask: ({ world }) => world.deployment('0.7', execute({ to: world.stack.demoContract.address, data: RESET })),
      },
    ],
  },
];
