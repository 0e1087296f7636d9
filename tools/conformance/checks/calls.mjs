import { concat, dataSlice, dataLength, Interface, toBeHex, zeroPadValue } from 'ethers';
import { execute, executeBatch } from '../world/accounts.mjs';
import { abiCoder } from '../world/entry-points.mjs';
import { allOf, mustAnswer, mustRefuse, named } from '../world/outcome.mjs';
import { DATA } from '../world/session.mjs';

const STRANGER = '0x00000000000000000000000000000000000000bb';
/** Safe's MultiSendCallOnly 1.4.1. */
const MULTI_SEND = '0x9641d764fc13c8b624c04430c7356c1c7c8102e2';

const OTHER_ACCOUNTS = new Interface([
  'function execute(bytes32 mode, bytes calls)',
  'function executeUserOp(address to, uint256 value, bytes data, uint8 operation)',
  'function executeUserOpWithErrorString(address to, uint256 value, bytes data, uint8 operation)',
  'function execute(address to, uint256 value, bytes data, uint8 operation)',
  'function execute((address to, uint256 value, bytes data) call)',
  'function execute_ncC(address to, uint256 value, bytes data)',
  'function executeBatch((address to, uint256 value, bytes data)[] calls)',
  'function multiSend(bytes transactions)',
  'function doSomething(address to, bytes data)',
]);
const word = (value) => zeroPadValue(toBeHex(BigInt(value)), 32);
const mode = (callType) => `${callType}${'00'.repeat(31)}`;
const packedCall = ({ to, data }) => concat([to, word(0), data]);
const calls7579 = (calls) =>
  abiCoder.encode(['tuple(address,uint256,bytes)[]'], [calls.map(({ to, data }) => [to, 0n, data])]);
const encode = (signature, values) => OTHER_ACCOUNTS.encodeFunctionData(signature, values);
const multiSent = (calls) =>
  encode('multiSend', [
    concat(calls.map(({ to, data }) => concat(['0x00', to, word(0), word(dataLength(data)), data]))),
  ]);

/** `execute` with its bytes where a hasty reader does not look: the allowed call lies in front of the one that is run. */
function smuggled(good, bad) {
  const padded = (data) =>
    concat([word(dataLength(data)), data, `0x${'00'.repeat((32 - (dataLength(data) % 32)) % 32)}`]);
  const [first, second] = [padded(good.data), padded(bad.data)];
  const head = [word(good.to), word(0), word(96 + dataLength(first))];
  return concat([dataSlice(execute(good), 0, 4), ...head, first, second]);
}

/** An address word with bits above its 20 bytes. */
function dirty(call) {
  const data = execute(call);
  return concat([dataSlice(data, 0, 4), `0x${'ff'.repeat(12)}`, dataSlice(data, 16)]);
}

const check = (id, title, sent, callsOf, others = {}) => ({
  ...{ id: `call.${id}`, title, versions: true, sent: `${DATA}: ${sent}` },
  source: 'docs/threats.md, "What a hostile client can cost"',
  why: 'A list of allowed calls that can be gone round sponsors everything.',
  needs: ['call', 'unlisted'],
  attempt: async (session, version) =>
    mustRefuse((await session.attack(version, { calls: callsOf(session, version) })).answer),
  ...others,
});

/** The call that is not allowed, as accounts of other families write it. */
const ENCODINGS = [
  ['ERC-7579, one call', (good, bad) => encode('execute(bytes32,bytes)', [mode('0x00'), packedCall(bad)])],
  [
    'ERC-7579, batch behind an allowed call',
    (good, bad) => encode('execute(bytes32,bytes)', [mode('0x01'), calls7579([good, bad])]),
  ],
  ['Safe, executeUserOp', (good, bad) => encode('executeUserOp', [bad.to, 0n, bad.data, 0])],
  [
    'Safe, MultiSend by delegatecall',
    (good, bad) => encode('executeUserOp', [MULTI_SEND, 0n, multiSent([good, bad]), 1]),
  ],
  ['Kernel v2, execute', (good, bad) => encode('execute(address,uint256,bytes,uint8)', [bad.to, 0n, bad.data, 0])],
  ['MetaMask, execute', (good, bad) => encode('execute((address,uint256,bytes))', [[bad.to, 0n, bad.data]])],
  ['Biconomy V2, execute_ncC', (good, bad) => encode('execute_ncC', [bad.to, 0n, bad.data])],
  [
    'Coinbase, executeBatch',
    (good, bad) =>
      encode('executeBatch', [
        [
          [good.to, 0n, good.data],
          [bad.to, 0n, bad.data],
        ],
      ]),
  ],
  ['executeUserOp prefix (0x8dd7712f)', (good, bad) => concat(['0x8dd7712f', execute(bad)])],
  ['a function that nobody knows', (good, bad) => encode('doSomething', [bad.to, bad.data])],
];

export const calls = [
  check('unlisted', 'a call that is not allowed is refused', 'the call that is not allowed, alone', (session) =>
    execute(session.unlisted),
  ),
  check(
    'unlisted-contract',
    'an allowed function of another contract is refused',
    'the allowed call data to an address that nobody has',
    (session) => execute({ ...session.call, to: STRANGER }),
  ),
  check('empty-call', 'a call of an allowed contract without data is refused', 'execute(contract, 0, 0x)', ({ call }) =>
    execute({ ...call, data: '0x' }),
  ),
  check('cut-selector', 'three bytes of an allowed function are refused', 'execute(contract, 0, 3 bytes)', ({ call }) =>
    execute({ ...call, data: dataSlice(call.data, 0, 3) }),
  ),
  check('value', 'coins to a stranger are refused', 'execute(stranger, 1 ether, 0x)', () =>
    execute({ to: STRANGER, data: '0x', value: 10n ** 18n }),
  ),
  {
    ...check(
      'batch',
      'one call that is not allowed makes a batch refused, wherever it stands',
      'batches of three: the bad call first, second, last',
    ),
    async attempt(session, version) {
      const { call: good, unlisted: bad } = session;
      const outcomes = [];
      for (const calls of [
        [bad, good, good],
        [good, bad, good],
        [good, good, bad],
      ]) {
        const { answer } = await session.attack(version, { calls: executeBatch(version, calls) });
        outcomes.push(named(`at place ${calls.indexOf(bad) + 1}`, mustRefuse(answer)));
      }
      return allOf(outcomes);
    },
  },
  {
    ...check('batch-allowed', 'a batch of allowed calls is answered', 'a batch of two allowed calls'),
    why: 'A service that refuses every batch passes the attacks above for nothing.',
    needs: ['call'],
    async attempt(session, version) {
      const calls = executeBatch(version, [session.call, session.call]);
      const limits = await session.limitsOf(version, { calls });
      return mustAnswer((await session.attack(version, { calls, ...limits })).answer);
    },
  },
  {
    ...check(
      'nested',
      'calls of the account to itself around a call that is not allowed are refused',
      'execute(self, execute(self, … the bad call)), 12 deep',
    ),
    async attempt(session, version) {
      const account = await session.newAccount(version);
      let data = execute(session.unlisted);
      for (let depth = 0; depth < 12; depth++) data = execute({ to: account.address, data });
      return mustRefuse((await session.attack(version, { account, calls: data })).answer);
    },
  },
  {
    ...check(
      'other-encodings',
      'the call that is not allowed is refused in the encodings of other accounts',
      `the same call in ${ENCODINGS.length} encodings, delegatecall among them`,
    ),
    async attempt(session, version) {
      const outcomes = [];
      for (const [name, encoded] of ENCODINGS) {
        // An account without a factory: a known one would be refused for what it is, and not for what it calls.
        const account = session.landed.get(version) ?? (await session.newAccount(version));
        const deployed = { ...account, factory: undefined };
        const calls = encoded(session.call, session.unlisted);
        const { answer } = await session.attack(version, { account: deployed, calls, nonce: '0x1' });
        outcomes.push(named(name, mustRefuse(answer)));
      }
      return allOf(outcomes);
    },
  },
  {
    ...check(
      'delegatecall',
      'a delegatecall is refused, to an allowed contract too',
      'ERC-7579 delegatecall and static call modes, Safe operation 1, Kernel operation 1; each with the allowed call',
    ),
    needs: ['call'],
    async attempt(session, version) {
      const { call } = session;
      const outcomes = [];
      for (const [name, calls] of [
        ['ERC-7579, delegatecall', encode('execute(bytes32,bytes)', [mode('0xff'), concat([call.to, call.data])])],
        ['ERC-7579, static call', encode('execute(bytes32,bytes)', [mode('0xfe'), packedCall(call)])],
        ['Safe', encode('executeUserOp', [call.to, 0n, call.data, 1])],
        ['Safe, with error', encode('executeUserOpWithErrorString', [call.to, 0n, call.data, 1])],
        ['Kernel v2', encode('execute(address,uint256,bytes,uint8)', [call.to, 0n, call.data, 1])],
      ]) {
        const account = session.landed.get(version) ?? (await session.newAccount(version));
        const { answer } = await session.attack(version, {
          account: { ...account, factory: undefined },
          calls,
          nonce: '0x1',
        });
        outcomes.push(named(name, mustRefuse(answer)));
      }
      return allOf(outcomes);
    },
  },
  check(
    'offset',
    'bytes that an offset leads past an allowed call to another one are refused',
    "execute(contract, 0, …): the allowed call's data lies first, the offset leads to the bad call's data behind it",
    ({ call, unlisted }) => smuggled(call, { ...unlisted, to: call.to }),
  ),
  check(
    'dirty-address',
    'an address with bits above its 20 bytes is refused',
    'execute with 0xff…ff in front of the address',
    ({ call }) => dirty(call),
    { needs: ['call'] },
  ),
  check(
    'trailing-bytes',
    'a call that is not allowed, behind the arguments of an allowed one, is refused',
    'execute(allowed call), then execute(the bad call) and 1,024 bytes behind it',
    ({ call, unlisted }) => concat([execute(call), execute(unlisted), `0x${'ee'.repeat(1_024)}`]),
  ),
  check(
    'cut-arguments',
    'arguments that end too early are refused',
    'execute(allowed call) without its last 32 bytes',
    ({ call }) => dataSlice(execute(call), 0, dataLength(execute(call)) - 32),
    { needs: ['call'] },
  ),
  check(
    'nothing',
    'call data of 0 and of 3 bytes with a deployed account is refused',
    'callData 0x, 0xb61d27',
    undefined,
    {
      needs: ['call'],
      async attempt(session, version) {
        const outcomes = [];
        for (const calls of ['0x', '0xb61d27']) {
          const account = session.landed.get(version) ?? (await session.newAccount(version));
          const { answer } = await session.attack(version, {
            account: { ...account, factory: undefined },
            calls,
            nonce: '0x1',
          });
          outcomes.push(named(calls, mustRefuse(answer)));
        }
        return allOf(outcomes);
      },
    },
  ),
];
