import { concat, Interface, toBeHex, toQuantity, Wallet, zeroPadValue } from 'ethers';
import { setUp, SIMPLE_7702_ACCOUNT } from '../world/accounts.mjs';
import { allOf, kindOf, mustFailOnChain, mustRefuse, named, notTried, shown } from '../world/outcome.mjs';
import { DATA, withData } from '../world/session.mjs';

const STRANGER = '0x00000000000000000000000000000000000000bb';
const HOSTILE = '0x00000000000000000000000000000000000f0e00';
/** Returns zero whatever it is asked: every operation is valid, and every call does what it likes. */
const HOSTILE_CODE = '0x60206000f3';
/** A bound on gas must not hide what is asked about here. */
const LITTLE_CALL_GAS = '0x4e20';
const LITTLE_VERIFICATION_GAS = '0x186a0';
const PERCENT_OF_GAS = [100n, 95n, 90n, 85n, 80n, 75n, 70n];

const NEXUS_FACTORY = '0x00000bb19a3579f4d779215def97afbd0e30db55';
const NEXUS_VALIDATOR = '0x00000004171351c442b202678c48d8ab5b321e8f';
const NEXUS = new Interface([
  'function createAccount(address owner, uint256 index, address[] attesters, uint8 threshold)',
  'function execute(bytes32 mode, bytes calls)',
]);

/** A key's own address: no code, no factory. */
function keyAccount() {
  const owner = Wallet.createRandom();
  return { owner, address: owner.address };
}

/**
 * Whatever gas he has to be content with, the attacker is refused, or what he is given fails when the sender runs foreign
 * code by the time it lands.
 */
async function mustNotLandDelegated(session, version, changes, paymaster) {
  const { limits } = await session.estimate(version);
  const less = PERCENT_OF_GAS.map((percent) => ({
    callGasLimit: LITTLE_CALL_GAS,
    verificationGasLimit: LITTLE_VERIFICATION_GAS,
    preVerificationGas: toQuantity((BigInt(limits.preVerificationGas) * percent) / 100n),
  }));
  let refused;
  for (const gas of [{}, ...less]) {
    const { operation, answer } = await session.attack(version, { ...changes, ...gas }, { paymaster });
    if (answer.kind === 'result') return landsDelegated(session, version, withData(operation, answer.result));
    refused = mustRefuse(answer);
    if (refused.verdict !== 'passed') return refused;
  }
  return refused;
}

async function landsDelegated(session, version, operation) {
  return session.onFork(async (node) => {
    await node.call('anvil_setCode', [HOSTILE, HOSTILE_CODE]);
    await node.call('anvil_setCode', [operation.sender, `0xef0100${HOSTILE.slice(2)}`]);
    const found = mustFailOnChain(await session.refusalOnChain(version, operation, node));
    return { ...found, came: `signed; with the delegation: ${found.came}` };
  });
}

async function authorizationOf(session, { owner, address }) {
  const {
    chainId,
    signature,
    nonce,
    address: delegate,
  } = await owner.authorize({ address: SIMPLE_7702_ACCOUNT, chainId: session.chainId, nonce: 0 });
  const { r, s, yParity } = signature;
  const authorization = {
    address: delegate,
    chainId: toQuantity(chainId),
    nonce: toQuantity(nonce),
    r,
    s,
    yParity: toQuantity(yParity),
  };
  return { account: { owner, address }, authorization };
}

const check = (id, title, sent, attempt, others) => ({
  ...{ id: `account.${id}`, title, needs: ['call'], versions: true, sent: `${DATA}: ${sent}`, attempt },
  source: 'docs/threats.md, "What the whitelist binds, and what it does not"',
  ...others,
});

export const accounts = [
  check(
    'unknown-factory',
    'an account of an unknown factory is refused',
    'the allowed call, with a factory that nobody has',
    async (session, version) => {
      const account = await session.newAccount(version);
      const foreign = { ...account, factory: STRANGER };
      return mustRefuse((await session.attack(version, { account: foreign })).answer);
    },
    {
      why: 'An account that its owner wrote reads the same call data in another way: it asks for an allowed call and does something else.',
    },
  ),
  check(
    'short-factory',
    'a factory that is no address, and data without a factory, are refused',
    'a factory of 19 bytes; on v0.7 and later factoryData alone',
    async (session, version) => {
      const account = await session.newAccount(version);
      const short = `0x${'11'.repeat(19)}`;
      const all =
        version === '0.6'
          ? [{ initCode: short }]
          : [{ ...setUp(version, account), factory: short }, { factory: undefined }];
      const outcomes = [];
      for (const changes of all)
        outcomes.push(mustRefuse((await session.attack(version, { account, ...changes })).answer));
      return allOf(outcomes);
    },
    { why: 'What is half a deployment is read in two ways.' },
  ),
  check(
    'delegated-after-signature',
    'a sender without code is refused, or its data is void once it delegates (EIP-7702) to other code',
    'the allowed call of an address without code and without factory; then handleOps on a copy of the chain where it delegates to hostile code',
    (session, version) => mustNotLandDelegated(session, version, { account: keyAccount() }),
    {
      why: 'The transaction that lands the operation may delegate its sender. Then code that nobody has seen runs at the cost of the paymaster.',
    },
  ),
  check(
    'other-delegate',
    'data for one delegate is refused, or void for another one',
    'the allowed call with eip7702Auth for Simple7702Account, asked of --delegate-url where it is given; then handleOps on a copy of the chain where the sender delegates to hostile code',
    async (session, version) => {
      const { account, authorization } = await authorizationOf(session, keyAccount());
      const marked = version === '0.7' ? {} : { factory: '0x7702', factoryData: '0x' };
      return mustNotLandDelegated(
        session,
        version,
        { account, ...marked, eip7702Auth: authorization },
        session.delegating,
      );
    },
    {
      versions: ['0.7', '0.8', '0.9'],
      why: 'As above: the authorization that the service was shown need not be the one that lands.',
    },
  ),
  check(
    'foreign-authorization',
    'an authorization for another chain, or of another key, is refused, or the data is void',
    'eip7702Auth with chainId + 1; eip7702Auth of another key',
    async (session, version) => {
      const [mine, theirs] = [
        await authorizationOf(session, keyAccount()),
        await authorizationOf(session, keyAccount()),
      ];
      const outcomes = [];
      for (const [name, eip7702Auth] of [
        ['another chain', { ...mine.authorization, chainId: toQuantity(session.chainId + 1) }],
        ['another key', theirs.authorization],
      ]) {
        const changes = { account: mine.account, factory: '0x7702', factoryData: '0x', eip7702Auth };
        outcomes.push(named(name, await mustNotLandDelegated(session, version, changes, session.delegating)));
      }
      return allOf(outcomes);
    },
    { versions: ['0.8', '0.9'], why: 'It never takes effect: the operation cannot land as it was judged.' },
  ),
  check(
    'nexus-module-enable',
    'a nonce that makes Nexus install a module of the caller is refused, and so is an unknown validator',
    'a Nexus account of its known factory with the allowed call; nonce mode 1 with a validator of the caller, and mode 0 with it',
    async (session, version) => {
      const owner = Wallet.createRandom();
      const { call } = session;
      const calls = NEXUS.encodeFunctionData('execute', [
        `0x${'00'.repeat(32)}`,
        concat([call.to, `0x${'00'.repeat(32)}`, call.data]),
      ]);
      const factoryData = NEXUS.encodeFunctionData('createAccount', [owner.address, 0n, [], 0]);
      const account = { owner, address: Wallet.createRandom().address, factory: NEXUS_FACTORY, factoryData };
      const nonce = (mode, validator) => toQuantity(concat(['0x000000', mode, validator, zeroPadValue(toBeHex(0), 8)]));
      const ask = async (mode, validator) =>
        (await session.attack(version, { account, calls, nonce: nonce(mode, validator) })).answer;
      const plain = await ask('0x00', NEXUS_VALIDATOR);
      if (plain.kind !== 'result')
        return notTried(`the service does not sponsor a plain Nexus account (${shown(plain)})`, kindOf(plain));
      const outcomes = [];
      for (const [name, mode, validator] of [
        ['module enable', '0x01', STRANGER],
        ['module enable, known validator', '0x01', NEXUS_VALIDATOR],
        ['unknown validator', '0x00', STRANGER],
      ]) {
        outcomes.push(named(name, mustRefuse(await ask(mode, validator))));
      }
      return allOf(outcomes);
    },
    { versions: ['0.7'], why: 'The module is installed before the calls are made, and may change what they do.' },
  ),
];
