import { dataLength, randomBytes, hexlify, toQuantity } from 'ethers';
import { execute } from '../world/accounts.mjs';
import {
  allOf,
  failed,
  kindOf,
  mustAnswer,
  mustFailOnChain,
  named,
  notTried,
  passed,
  shown,
} from '../world/outcome.mjs';
import { DATA, flipped, paymasterFields, withData } from '../world/session.mjs';

const DAY_SECONDS = 86_400;
/** So many bytes are tried on a node; each takes two calls. */
const MOST_FLIPS = 160;

const bigger = (quantity, by = 1n) => toQuantity(BigInt(quantity) + by);

/** Changes after the signature, each of which has to make it void. */
function changesOf(session, version, operation) {
  const other = { ...session.call, to: '0x00000000000000000000000000000000000000bb' };
  const all = {
    'other call data': { callData: execute(other) },
    'another nonce': { nonce: toQuantity(1n << 64n) },
    'a higher fee': { maxFeePerGas: bigger(operation.maxFeePerGas) },
    'a higher tip': { maxPriorityFeePerGas: bigger(operation.maxPriorityFeePerGas) },
    'more call gas': { callGasLimit: bigger(operation.callGasLimit) },
    'more verification gas': { verificationGasLimit: bigger(operation.verificationGasLimit) },
    'more preVerificationGas': { preVerificationGas: bigger(operation.preVerificationGas) },
  };
  if (version === '0.6') return all;
  const limits = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'].filter(
    (name) => operation[name] !== undefined,
  );
  return { ...all, ...Object.fromEntries(limits.map((name) => [`more ${name}`, { [name]: bigger(operation[name]) }])) };
}

/** The operation with data that came with other members, at this moment after now, on a copy of the chain. */
async function afterSeconds(session, version, { account, operation }, seconds) {
  return session.onFork(async (node) => {
    const { timestamp } = await node.call('eth_getBlockByNumber', ['latest', false]);
    const now = Math.max(Number(timestamp), Math.floor(Date.now() / 1_000));
    await node.call('evm_setNextBlockTimestamp', [toQuantity(now + seconds)]);
    await node.call('evm_mine', []);
    return session.tried(version, account, operation, node);
  });
}

const check = (id, title, needs, sent, attempt, others) => ({
  ...{ id, title, needs: ['call', ...needs], versions: true, sent, attempt },
  source: 'ERC-4337, validatePaymasterUserOp',
  ...others,
});

export const onChain = [
  check(
    'stub.never-valid',
    'an operation with the stub is refused by the EntryPoint',
    [],
    'handleOps with the stub, signed by the account',
    async (session, version) => {
      const { account, operation, stub, limits } = await session.estimate(version);
      if (stub.isFinal === true) return notTried('isFinal is true: the stub is the data', 'isFinal');
      const reason = await session.tried(version, account, { ...withData(operation, stub), ...limits });
      return reason ? passed(reason, reason.slice(0, 4)) : failed('the EntryPoint takes it', 'taken');
    },
    {
      source: 'ERC-7677: stub data is for estimation',
      why: 'A stub that is valid is a signature that no limit has counted.',
    },
  ),
  check(
    'stub.same-path',
    'the stub fails by its signature (AA34) and not by a revert',
    [],
    'handleOps with the stub, signed by the account',
    async (session, version) => {
      const { account, operation, stub, limits } = await session.estimate(version);
      if (stub.isFinal === true) return notTried('isFinal is true: the stub is the data', 'isFinal');
      const reason = await session.tried(version, account, { ...withData(operation, stub), ...limits });
      return reason?.startsWith('AA34') ? passed(reason) : failed(String(reason ?? 'taken'));
    },
    {
      source: 'ERC-7677: stub and data should take the same code path',
      why: 'A stub that reverts cannot be used to estimate gas, or makes the estimate too low.',
    },
  ),
  check(
    'data.valid',
    'the final data is valid on chain',
    [],
    'handleOps (eth_call), signed by the account',
    async (session, version) => {
      const { account, operation } = await session.good(version);
      const reason = await session.tried(version, account, operation);
      return reason ? failed(reason, reason.slice(0, 4)) : passed('the EntryPoint takes it');
    },
    { why: 'Everything else here is worth nothing where honest data is not valid.' },
  ),
  check(
    'data.lands',
    'an operation lands, and the paymaster of the answer pays for it',
    ['landing'],
    'the whole way of a wallet: stub, estimate, data, signature, landing',
    async (session, version) => {
      const { account, operation } = await session.dataRequest(version);
      const answer = await session.ask(DATA, version, operation);
      if (answer.kind !== 'result') return mustAnswer(answer);
      const complete = withData(operation, answer.result);
      const event = await session.land(version, await session.signed(version, account, complete));
      session.landed.set(version, account);
      const paymaster = (complete.paymaster ?? complete.paymasterAndData).slice(0, 42).toLowerCase();
      if (event.paymaster.toLowerCase() !== paymaster) return failed('another paymaster paid');
      return event.success ? passed('landed, the call succeeded') : failed('landed, but the call failed');
    },
    { why: 'It is what the service is for.' },
  ),
  check(
    'data.flipped-byte',
    'no byte of the data can be changed',
    [],
    'handleOps with one bit of a byte changed, for each byte',
    async (session, version) => {
      const { account, operation } = await session.good(version);
      const from = version === '0.6' ? 20 : 0;
      const name = version === '0.6' ? 'paymasterAndData' : 'paymasterData';
      const tried = [];
      for (const field of [name, ...(operation.paymasterSignature ? ['paymasterSignature'] : [])]) {
        const length = dataLength(operation[field]);
        const step = Math.max(1, Math.ceil((length - from) / MOST_FLIPS));
        for (let place = field === name ? from : 0; place < length; place += step) {
          const changed = { ...operation, [field]: flipped(operation[field], place) };
          const reason = await session.tried(version, account, changed);
          if (!reason)
            return failed(`with byte ${place} of ${field} (${length} bytes) changed the EntryPoint takes it`, 'taken');
          tried.push(reason.slice(0, 4));
        }
      }
      return passed(
        `${tried.length} changed bytes, each refused: ${[...new Set(tried)].sort().join(', ')}`,
        [...new Set(tried)].sort().join(', '),
      );
    },
    { why: 'Bytes that nothing binds can be changed by whoever bundles.' },
  ),
  check(
    'data.binds-operation',
    'the data is void for an operation with any other field',
    [],
    'handleOps with one field changed after the data was given, signed by the account',
    async (session, version) => {
      const { account, operation } = await session.good(version);
      const outcomes = [];
      for (const [name, changes] of Object.entries(changesOf(session, version, operation))) {
        outcomes.push(
          named(name, mustFailOnChain(await session.tried(version, account, { ...operation, ...changes }))),
        );
      }
      return allOf(outcomes);
    },
    { why: 'Data that does not bind a field lets the user run, or the bundler earn, what was never judged.' },
  ),
  check(
    'data.other-sender',
    'the data is void for another account',
    [],
    'handleOps with the same data in the operation of another account',
    async (session, version) => {
      const { operation } = await session.good(version);
      const { account, operation: other } = await session.dataRequest(version);
      return mustFailOnChain(await session.tried(version, account, withData(other, paymasterFields(operation))));
    },
    { why: 'Otherwise one sponsored operation pays for everybody.' },
  ),
  check(
    'data.other-chain',
    'the data is void on another chain',
    [],
    'handleOps on a copy of the chain with another chain id, signed by the account for that chain',
    async (session, version) => {
      const { account, operation } = await session.good(version);
      const node = await session.fork(session.chainId + 1);
      return mustFailOnChain(await session.tried(version, account, operation, node));
    },
    {
      why: 'The same contract at the same address on two chains, with the same signer: data of a cheap chain then pays on a dear one.',
    },
  ),
  check(
    'data.expires',
    'the data is void a day later',
    [],
    'handleOps on a copy of the chain whose clock is 25 hours ahead',
    async (session, version) => {
      const good = await session.good(version);
      const atOnce = await afterSeconds(session, version, good, 1);
      if (atOnce) return notTried(`on the copy of the chain the data is not valid at all: ${atOnce}`, 'copy');
      return mustFailOnChain(await afterSeconds(session, version, good, DAY_SECONDS + 3_600));
    },
    { why: 'A signature that lives for long can be landed when prices, limits and policies are others.' },
  ),
  check(
    'data.client-chosen-validity',
    'a client does not choose how long its data lives',
    ['no context'],
    `${DATA} with a context that asks for a year, in the words of several services; then as above`,
    async (session, version) => {
      await session.good(version);
      const year = 365 * DAY_SECONDS;
      const until = Math.floor(Date.now() / 1_000) + year;
      const context = {
        validUntil: until,
        validForSeconds: year,
        expiryDuration: year,
        sponsorshipInfo: { validUntil: until },
      };
      const outcomes = [];
      for (const [name, value] of Object.entries(context)) {
        const { account, operation } = await session.dataRequest(version);
        const answer = await session.ask(DATA, version, operation, { context: { [name]: value } });
        if (answer.kind !== 'result') outcomes.push(named(name, passed(shown(answer), kindOf(answer))));
        else {
          const complete = withData(operation, answer.result);
          const reason = await afterSeconds(session, version, { account, operation: complete }, DAY_SECONDS + 3_600);
          outcomes.push(named(name, mustFailOnChain(reason)));
        }
      }
      return allOf(outcomes);
    },
    {
      source: 'docs/threats.md: the validity bounds a loss',
      why: 'Whoever has the key makes signatures for years, and uses them after it was taken away.',
    },
  ),
  check(
    'data.asked-again',
    'the same request is answered again',
    [],
    `${DATA} three times for one operation, as clients do after a time-out`,
    async (session, version) => {
      const { asked } = await session.good(version);
      const answers = [];
      for (let again = 0; again < 3; again++) answers.push(mustAnswer(await session.ask(DATA, version, asked)));
      return allOf(answers);
    },
    {
      source: 'viem sends a request again up to three times',
      why: 'A service that counts each sending as a new operation refuses honest clients.',
    },
  ),
  check(
    'data.foreign-paymaster',
    'paymaster fields and a signature that the client sends are not taken over',
    [],
    `${DATA} with paymaster, paymasterData and paymasterAndData of somebody else`,
    async (session, version) => {
      const { operation: good } = await session.good(version);
      const foreign = `0x${'cc'.repeat(20)}`;
      const data = hexlify(randomBytes(97));
      const changes =
        version === '0.6'
          ? { paymasterAndData: `${foreign}${data.slice(2)}` }
          : { paymaster: foreign, paymasterData: data };
      const { answer } = await session.attack(version, changes);
      if (answer.kind !== 'result') return passed(shown(answer), kindOf(answer));
      const [mine, got] = [good, answer.result].map((fields) =>
        (fields.paymaster ?? fields.paymasterAndData).slice(0, 42).toLowerCase(),
      );
      return mine === got
        ? passed("the service's own paymaster came", 'own paymaster')
        : failed(`paymaster ${got} came`, 'foreign paymaster');
    },
    { why: 'The first call puts a paymaster into the operation; what comes back in the second is not to be believed.' },
  ),
];
