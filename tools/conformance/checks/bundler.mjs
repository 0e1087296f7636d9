import { hexlify, randomBytes } from 'ethers';
import { userOpHashData } from '../world/entry-points.mjs';
import { allOf, failed, kindOf, mustAnswer, mustRefuse, named, NotTried, passed, shown } from '../world/outcome.mjs';
import { DATA, STUB, paymasterFields, until, withData } from '../world/session.mjs';

const ERC = 'ERC-7769';
const SUPPORTED = 'eth_supportedEntryPoints';
const ESTIMATE = 'eth_estimateUserOperationGas';
const SEND = 'eth_sendUserOperation';
const RECEIPT = 'eth_getUserOperationReceipt';
const BY_HASH = 'eth_getUserOperationByHash';

const LIMITS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'];
const LIMITS_OF_PAYMASTER = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'];
const METHOD_NOT_FOUND = -32601;
/** JSON-RPC: without leading zeros. */
const MINIMAL_HEX = /^0x(0|[1-9a-f][0-9a-f]*)$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const AA_CODE = /\bAA\d\d\b/;
/** Codes of ERC-7769, and -32506 and -32521, which bundlers use beside them. */
const isRefusalCode = (code) => code === -32602 || code === -32521 || (code <= -32500 && code >= -32508);
const CLOSED = ['debug_bundler_sendBundleNow', 'debug_bundler_dumpMempool', 'admin_nodeInfo', 'personal_listAccounts'];

const randomHash = () => hexlify(randomBytes(32));
const lower = (value) => String(value).toLowerCase();

/** Names of what is wrong, as an outcome. */
const judged = (problems, came) =>
  problems.length > 0 ? failed(problems.join('; '), problems.map((one) => one.split(':')[0]).join('; ')) : passed(came);

/** The first words of an answer of the service; asked once. @throws {NotTried} where it is no bundler */
function entryPointsOf(session) {
  return session.once('bundler', async () => {
    const answer = await session.paymaster.call(SUPPORTED, []);
    if (answer.error?.code === METHOD_NOT_FOUND)
      throw new NotTried(`not offered: the address has none of the bundler's methods (${shown(answer)})`);
    return answer;
  });
}

/** A signed operation with the limits that the service itself estimates; made once. */
function complete(session, version) {
  return session.once(`complete ${version}`, async () => {
    const { account, operation, stub, answer } = await estimated(session, version);
    if (answer.kind !== 'result') throw new NotTried(`the service estimates no operation (${shown(answer)})`);
    const given = [...LIMITS, ...LIMITS_OF_PAYMASTER].filter((name) => answer.result[name] !== undefined);
    const limits = Object.fromEntries(given.map((name) => [name, answer.result[name]]));
    const wanted = { ...operation, ...paymasterFields(stub), ...limits };
    const data = await session.ask(DATA, version, wanted);
    if (data.kind !== 'result') throw new NotTried(`the service signs no operation with its estimate (${shown(data)})`);
    return session.signed(version, account, withData(wanted, data.result));
  });
}

/** The answer to an estimate of an operation that is sponsored; asked once. */
function estimated(session, version) {
  return session.once(`estimated ${version}`, async () => {
    const { account, operation } = await session.stubRequest(version);
    const { result: stub, ...refusal } = await session.ask(STUB, version, operation);
    if (!stub) throw new NotTried(`the service sponsors no operation of this version (${shown(refusal)})`);
    const asked = { ...operation, ...paymasterFields(stub) };
    for (const limit of LIMITS) delete asked[limit];
    const answer = await session.paymaster.call(ESTIMATE, [asked, session.entryPoints[version]]);
    return { account, operation, stub, answer };
  });
}

/** The hash of an operation as the EntryPoint computes it. @throws on what is no operation */
async function hashOf(session, version, operation) {
  const call = { to: session.entryPoints[version], data: userOpHashData(version, operation) };
  return session.node.call('eth_call', [call, 'latest']);
}

const send = (session, version, operation) => session.paymaster.call(SEND, [operation, session.entryPoints[version]]);

/** The good operation, sent once: its hash, and the answer. */
function sent(session, version) {
  return session.once(`sent ${version}`, async () => {
    const operation = await complete(session, version);
    const hash = await hashOf(session, version, operation);
    return { operation, hash, answer: await send(session, version, operation) };
  });
}

/** The first answer with a receipt of the operation. @throws {NotTried} where it was not taken */
function landed(session, version) {
  return session.once(`receipt ${version}`, async () => {
    const { operation, hash, answer } = await sent(session, version);
    if (answer.kind !== 'result') throw new NotTried(`the service does not take the good operation (${shown(answer)})`);
    const found = await until(async () => {
      const receipt = await session.paymaster.call(RECEIPT, [hash]);
      return receipt.kind === 'result' && receipt.result === null ? undefined : receipt;
    });
    return { operation, hash, receipt: found };
  });
}

/** What is said of a landed operation has to be true on the chain. */
async function problemsOfReceipt(session, version, { hash, operation, receipt: { result } }) {
  const transactionHash = result.receipt?.transactionHash;
  const known = await session.node.call('eth_getTransactionReceipt', [transactionHash]).catch(() => null);
  const hasEvent = known?.logs.some(({ topics }) => lower(topics[1]) === hash);
  const wanted = { userOpHash: hash, sender: operation.sender, entryPoint: session.entryPoints[version] };
  return [
    ...Object.keys(wanted).flatMap((name) =>
      lower(result[name]) === lower(wanted[name]) ? [] : [`${name} is another: ${result[name]}`],
    ),
    ...['nonce', 'actualGasCost', 'actualGasUsed'].flatMap((name) =>
      MINIMAL_HEX.test(result[name]) ? [] : [`${name} is no minimal hex: ${result[name]}`],
    ),
    ...(result.success === true ? [] : [`success is not true: ${result.success}`]),
    ...(Array.isArray(result.logs) ? [] : ['logs is no list']),
    ...(hasEvent ? [] : [`receipt.transactionHash is of a transaction without the operation: ${transactionHash}`]),
  ];
}

async function problemsOfOperation(session, version, hash, { result }) {
  const { userOperation, entryPoint, transactionHash, blockHash, blockNumber } = result ?? {};
  if (!userOperation) return ['userOperation is missing'];
  // What is no operation has no hash.
  const itsHash = await hashOf(session, version, userOperation).catch(({ message }) => message);
  const known = await session.node.call('eth_getTransactionReceipt', [transactionHash]).catch(() => null);
  return [
    ...(itsHash === hash ? [] : [`userOperation is another: its hash is ${itsHash}`]),
    ...(lower(entryPoint) === session.entryPoints[version] ? [] : [`entryPoint is another: ${entryPoint}`]),
    ...(known?.blockHash === blockHash && BigInt(known.blockNumber) === BigInt(blockNumber)
      ? []
      : [`the block is not that of the transaction: ${blockHash}`]),
  ];
}

const check = (id, title, why, needs, sentText, attempt, others) => ({
  ...{ id: `bundler.${id}`, title, why, needs, sent: sentText, source: ERC, ...others },
  attempt: async (session, version) => {
    await entryPointsOf(session);
    return attempt(session, version);
  },
});
const onVersions = { versions: true };

/** An address may be bundler and paymaster: clients then have one URL. Where it is no bundler, nothing here is tried. */
export const bundler = [
  check(
    'entry-points',
    'the list of EntryPoints has those that are sponsored',
    'A client that does not find its EntryPoint sends nothing.',
    ['call'],
    SUPPORTED,
    async (session) => {
      const answer = await entryPointsOf(session);
      if (answer.kind !== 'result') return mustAnswer(answer);
      const listed = Array.isArray(answer.result) ? answer.result : [];
      const missing = session.versions.filter((version) => !listed.map(lower).includes(session.entryPoints[version]));
      const isList = listed.length > 0 && listed.every((each) => ADDRESS.test(each));
      return judged(
        [
          ...(isList ? [] : [`no list of addresses: ${JSON.stringify(answer.result).slice(0, 80)}`]),
          ...missing.map((version) => `v${version} is missing`),
        ],
        `${listed.length} EntryPoints`,
      );
    },
  ),
  check(
    'estimate',
    'an estimate of the good operation has its gas limits, in minimal hex, and no null',
    'Biconomy refuses an answer with a null, thirdweb breaks at one, and bundlers refuse hex with zeros in front.',
    ['call'],
    `${ESTIMATE} for the good operation with its stub`,
    async (session, version) => {
      const { answer } = await estimated(session, version);
      if (answer.kind !== 'result') return mustAnswer(answer);
      const must = version === '0.6' ? LIMITS : [...LIMITS, 'paymasterVerificationGasLimit'];
      const { result } = answer;
      return judged(
        [
          ...must.filter((name) => !(name in result)).map((name) => `${name} is missing`),
          ...Object.entries(result).flatMap(([name, value]) =>
            MINIMAL_HEX.test(value) ? [] : [`${name} is no minimal hex: ${JSON.stringify(value)}`],
          ),
        ],
        Object.keys(result).sort().join(', '),
      );
    },
    onVersions,
  ),
  check(
    'send',
    'the good operation with the limits of that estimate is taken, and its hash answered',
    'A client waits for the hash that it was given. With another one it waits in vain, and sends again.',
    ['call'],
    `${SEND}; the hash is compared with getUserOpHash of the EntryPoint`,
    async (session, version) => {
      const { hash, answer } = await sent(session, version);
      if (answer.kind !== 'result') return mustAnswer(answer);
      return answer.result === hash ? passed('its hash') : failed(`another hash: ${shown(answer)}`, 'another hash');
    },
    onVersions,
  ),
  check(
    'receipt',
    'it lands, and its receipt says what the chain says',
    'What a client shows its user, and what an app books, is this receipt.',
    ['call'],
    `${RECEIPT} until it is there; then eth_getTransactionReceipt of the node`,
    async (session, version) => {
      const found = await landed(session, version);
      if (found.receipt.kind !== 'result') return mustAnswer(found.receipt);
      return judged(await problemsOfReceipt(session, version, found), 'as on the chain');
    },
    onVersions,
  ),
  check(
    'by-hash',
    'the operation of a hash is the one that has the hash, with its block',
    'A client that is shown another operation takes it for its own.',
    ['call'],
    `${BY_HASH} of the landed operation; the hash of what comes is computed`,
    async (session, version) => {
      const { hash } = await landed(session, version);
      const answer = await session.paymaster.call(BY_HASH, [hash]);
      if (answer.kind !== 'result') return mustAnswer(answer);
      return judged(await problemsOfOperation(session, version, hash, answer), 'the operation, and its block');
    },
    onVersions,
  ),
  check(
    'again',
    'the same operation sent again has the same hash for its answer, also after it has landed',
    'Transports send again what they got no answer for. An error then says that nothing was sent, and the user pays twice.',
    ['call'],
    `${SEND} twice more, before and after the receipt`,
    async (session, version) => {
      const { operation, answer } = await sent(session, version);
      const before = await send(session, version, operation);
      await landed(session, version);
      const after = await send(session, version, operation);
      return allOf(
        Object.entries({ before, after }).map(([when, again]) =>
          named(
            when,
            again.kind === 'result' && again.result === answer.result
              ? passed('the same hash')
              : failed(shown(again), kindOf(again)),
          ),
        ),
      );
    },
    onVersions,
  ),
  check(
    'unknown-hash',
    'a hash that nobody knows is answered with null',
    'Clients poll until something else than null comes. They take an error for the end, and an answer for the receipt.',
    [],
    `${RECEIPT} and ${BY_HASH} of a random hash`,
    async ({ paymaster }) => {
      const outcomes = [];
      for (const method of [RECEIPT, BY_HASH]) {
        const answer = await paymaster.call(method, [randomHash()]);
        const isNull = answer.kind === 'result' && answer.result === null;
        outcomes.push(named(method, isNull ? passed('null') : failed(shown(answer), kindOf(answer))));
      }
      return allOf(outcomes);
    },
  ),
  check(
    'refusal',
    'an operation that nobody pays for is refused, with a code of ERC-7769 and the code of the EntryPoint',
    'Clients tell their users what to do by these codes. What has none is shown as "unknown error", or sent again.',
    ['call'],
    `${SEND} of an account without coins, without a paymaster`,
    async (session, version) => {
      const { account, operation } = await session.dataRequest(version);
      for (const name of Object.keys(paymasterFields(operation))) delete operation[name];
      const unpaid = { ...operation, ...(version === '0.6' && { paymasterAndData: '0x' }) };
      const answer = await send(session, version, await session.signed(version, account, unpaid));
      const refused = mustRefuse(answer);
      if (refused.verdict !== 'passed') return refused;
      if (!isRefusalCode(answer.error.code)) return failed(`${shown(answer)}: the code is none of ERC-7769`, 'code');
      return AA_CODE.test(answer.error.message)
        ? refused
        : failed(`${shown(answer)}: without an AA code`, 'no AA code');
    },
    onVersions,
  ),
  check(
    'closed',
    "the methods of a bundler's operator are refused, and so is what nobody knows",
    'With debug_ methods a stranger empties the pool, or has bundles sent when he likes.',
    [],
    [...CLOSED, 'eth_nothing'].join(', '),
    async ({ paymaster }) => {
      const outcomes = [];
      for (const method of [...CLOSED, 'eth_nothing']) {
        outcomes.push(named(method, mustRefuse(await paymaster.call(method, []))));
      }
      return allOf(outcomes);
    },
    { source: `${ERC}: debug_ methods are for tests` },
  ),
  check(
    'batch',
    "a batch of the bundler's methods gets an answer for each",
    'viem and ethers put calls of one moment into a batch.',
    [],
    `[${SUPPORTED}, ${RECEIPT} of a random hash]`,
    async ({ paymaster }) => {
      const calls = [
        { jsonrpc: '2.0', id: 1, method: SUPPORTED, params: [] },
        { jsonrpc: '2.0', id: 2, method: RECEIPT, params: [randomHash()] },
      ];
      const { kind, body, ...answer } = await paymaster.post(JSON.stringify(calls));
      if (kind !== 'batch') return failed(`no array: ${shown({ kind, ...answer })}`, 'no array');
      const [list, receipt] = [1, 2].map((id) => body.find((one) => one.id === id));
      return body.length === 2 && Array.isArray(list?.result) && receipt?.result === null
        ? passed('a list and null, each with its id')
        : failed(`ids ${body.map(({ id }) => id).join(', ')}`, 'other answers');
    },
    { source: 'JSON-RPC 2.0' },
  ),
];
