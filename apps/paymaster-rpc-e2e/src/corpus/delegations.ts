import { CANONICAL_DELEGATE } from '@paymaster/devnet';
import { EIP7702_MARKER, ZERO_ADDRESS } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { execute, executeBatch } from '../support/call-data';
import {
  authorizationOf,
  delegatedAccount,
  MARKED,
  mirrored,
  newKeyAccount,
  type AuthorizationWish,
} from '../support/delegated-account';
import { INCREMENT, RESET } from '../support/demo-contract';
import { rules, type Given, type RuleCase, type RuleStory } from '../support/policies';

const NOT_SPONSORED = 'EIP7702_NOT_SPONSORED';
const INVALID = '-32602 INVALID_PARAMS';
/** Nobody knows how it reads call data. */
const unknown = randomAddress();
const listed = () => rules({ eip7702Delegates: [CANONICAL_DELEGATE, unknown] });

type Authorization = Awaited<ReturnType<typeof authorizationOf>>;

/** A new delegation, with the marker; `spoil` makes it wrong. */
const delegating =
  (wish: AuthorizationWish = {}, spoil: (operation: { eip7702Auth: Authorization }) => object = (it) => it) =>
  async ({ world }: Given): Promise<object> => {
    const owner = newKeyAccount();
    const eip7702Auth = await authorizationOf(world.stack, owner, wish);
    return world.operation({ sender: owner.address, ...MARKED, ...spoil({ eip7702Auth }) });
  };

/** An operation of an account that delegates already. */
const delegated =
  (changes: (given: Given) => object = () => ({}), delegate?: `0x${string}`) =>
  async (given: Given): Promise<object> => {
    const { address: sender } = await delegatedAccount(given.world.stack, delegate);
    return given.world.operation({ sender, ...changes(given) });
  };

const allowed: readonly RuleCase[] = [
  { title: 'no delegation', outcome: 'granted', ask: ({ world }) => world.operation() },
  { title: 'a new one', outcome: 'granted', ask: delegating() },
  {
    ...{ title: 'with the padded marker', outcome: 'granted' },
    ask: delegating({}, (it) => ({ ...it, factory: EIP7702_MARKER })),
  },
  { title: 'for every chain', outcome: 'granted', ask: delegating({ chainId: 0 }) },
  {
    ...{ title: 'as authorization', outcome: 'granted' },
    ask: delegating({}, ({ eip7702Auth: authorization }) => ({ authorization })),
  },
  {
    ...{ title: 'without the marker', outcome: 'granted' },
    ask: delegating({}, (it) => ({ ...it, factory: undefined, factoryData: undefined })),
  },
  {
    ...{ title: 'another one on chain, changed for a listed one without the marker', outcome: 'granted' },
    ask: async ({ world }) => {
      const owner = await delegatedAccount(world.stack, randomAddress());
      const eip7702Auth = await authorizationOf(world.stack, owner, { nonce: 1 });
      return world.operation({ sender: owner.address, eip7702Auth });
    },
  },
  // The signature is bound to the delegate: it does not matter whether the authorization comes into force.
  { title: 'with a nonce to come', outcome: 'granted', ask: delegating({ nonce: 1 }) },
  { title: 'on chain', outcome: 'granted', ask: delegated() },
  { title: 'on chain, with the marker', outcome: 'granted', ask: delegated(() => MARKED) },
];

const refused: readonly RuleCase[] = [
  { title: 'another delegate', outcome: NOT_SPONSORED, ask: delegating({ address: randomAddress() }) },
  { title: 'another one on chain', outcome: NOT_SPONSORED, ask: delegated(() => ({}), randomAddress()) },
  {
    ...{ title: 'another one on chain, with the marker', outcome: NOT_SPONSORED },
    ask: delegated(() => MARKED, randomAddress()),
  },
  {
    ...{ title: 'a listed one on chain, changed for another', outcome: NOT_SPONSORED },
    ask: async ({ world }) => {
      const owner = await delegatedAccount(world.stack);
      const eip7702Auth = await authorizationOf(world.stack, owner, { address: randomAddress(), nonce: 1 });
      return world.operation({ sender: owner.address, ...MARKED, eip7702Auth });
    },
  },
  {
    ...{ title: 'signed by somebody else', outcome: INVALID },
    ask: delegating({}, (it) => ({ ...it, sender: randomAddress() })),
  },
  {
    ...{ title: 'with the other signature of the same key', outcome: INVALID },
    ask: delegating({}, ({ eip7702Auth }) => ({ eip7702Auth: mirrored(eip7702Auth) })),
  },
  {
    ...{ title: 'signed for another delegate', outcome: INVALID },
    ask: delegating({ address: randomAddress() }, ({ eip7702Auth }) => ({
      eip7702Auth: { ...eip7702Auth, address: CANONICAL_DELEGATE },
    })),
  },
  { title: 'for another chain', outcome: INVALID, ask: delegating({ chainId: 1 }) },
  { title: 'to the zero address', outcome: INVALID, ask: delegating({ address: ZERO_ADDRESS }) },
  {
    ...{ title: 'twice', outcome: INVALID },
    ask: delegating({}, ({ eip7702Auth }) => ({ eip7702Auth, authorization: eip7702Auth })),
  },
  {
    ...{ title: 'half of an authorization', outcome: INVALID },
    ask: delegating({}, () => ({ eip7702Auth: { address: CANONICAL_DELEGATE } })),
  },
  {
    ...{ title: 'beside a factory', outcome: INVALID },
    ask: delegating({}, (it) => ({ ...it, factory: randomAddress() })),
  },
  { title: 'the marker alone', outcome: NOT_SPONSORED, ask: ({ world }) => world.operation(MARKED) },
  {
    ...{ title: 'the marker and something behind it', outcome: 'UNKNOWN_ACCOUNT_SETUP' },
    ask: delegating({}, (it) => ({ ...it, factoryData: '0x00' })),
  },
  {
    ...{ title: 'a factory that only starts like the marker', outcome: 'UNKNOWN_ACCOUNT_FACTORY' },
    ask: ({ world }) => world.operation({ factory: `0x7702aa${'0'.repeat(34)}`, factoryData: '0x' }),
  },
  {
    ...{ title: 'on v0.6', outcome: INVALID },
    ask: delegating({}, (it) => ({ ...it, factory: undefined, factoryData: undefined, initCode: '0x' })),
  },
  {
    ...{ title: 'on v0.6, in initCode', outcome: NOT_SPONSORED },
    ask: async ({ world }) => ({ ...(await world.deployment('0.6')), initCode: EIP7702_MARKER }),
  },
  {
    ...{ title: 'with a method that is not whitelisted', outcome: 'METHOD_NOT_WHITELISTED' },
    ask: (given) =>
      delegated(({ world }) => ({ callData: execute({ to: world.stack.demoContract.address, data: RESET }) }))(given),
  },
  {
    ...{ title: 'with a function that the delegate does not have', outcome: 'CALL_DATA_NOT_UNDERSTOOD' },
    ask: (given) =>
      delegated(({ world }) => ({
        callData: executeBatch('0.7', [{ to: world.stack.demoContract.address, data: INCREMENT }]),
      }))(given),
  },
  {
    ...{ title: 'to a listed delegate that nobody knows', outcome: 'CALL_DATA_NOT_UNDERSTOOD' },
    ask: delegating({ address: unknown }),
  },
];

/** EIP-7702 (docs/architecture/rules.md, "Delegated accounts"): what a list of delegates lets through, and what not. */
export const delegationStories: readonly RuleStory[] = [
  { rule: 'eip7702Delegates', policy: listed, cases: [...allowed, ...refused] },
  {
    rule: 'eip7702Delegates, left out',
    policy: () => rules({}),
    cases: [
      { title: 'a new one', outcome: NOT_SPONSORED, ask: delegating() },
      { title: 'the marker', outcome: NOT_SPONSORED, ask: delegated(() => MARKED) },
    ],
  },
  {
    rule: 'eip7702Delegates, none',
    policy: () => rules({ eip7702Delegates: [] }),
    cases: [
      { title: 'no delegation', outcome: 'granted', ask: ({ world }) => world.operation() },
      { title: 'a new one', outcome: NOT_SPONSORED, ask: delegating() },
      // Nobody reads its code: it is signed for an account without delegate, and fails on chain.
      { title: 'on chain', outcome: 'granted', ask: delegated() },
    ],
  },
];
