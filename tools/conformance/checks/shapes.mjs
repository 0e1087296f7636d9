import { getBytes } from 'ethers';
import { packPaymasterAndData } from '../world/entry-points.mjs';
import { allOf, failed, mustAnswer, mustRefuse, named, passed } from '../world/outcome.mjs';
import { DATA, STUB } from '../world/session.mjs';

const ERC = 'ERC-7677';
const HEX_BYTES = /^0x([0-9a-f]{2})*$/i;
const HEX_QUANTITY = /^0x[0-9a-f]+$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const DEAD = '0x000000000000000000000000000000000000dead';

const isBytes = (value) => typeof value === 'string' && HEX_BYTES.test(value) && value.length > 2;
const FORMATS = {
  paymasterAndData: isBytes,
  paymasterData: isBytes,
  paymasterSignature: isBytes,
  paymaster: (value) => typeof value === 'string' && ADDRESS.test(value),
  paymasterVerificationGasLimit: (value) => typeof value === 'string' && HEX_QUANTITY.test(value),
  paymasterPostOpGasLimit: (value) => typeof value === 'string' && HEX_QUANTITY.test(value),
  callGasLimit: (value) => typeof value === 'string' && HEX_QUANTITY.test(value),
  verificationGasLimit: (value) => typeof value === 'string' && HEX_QUANTITY.test(value),
  preVerificationGas: (value) => typeof value === 'string' && HEX_QUANTITY.test(value),
};

/** A client that sent none takes them from the stub, and asks no bundler. */
const ACCOUNT_LIMITS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'];

/** Keys that an answer must have, and those that it may have, by EntryPoint version and call. */
function keysOf(version, method) {
  const extra = method === STUB ? ['sponsor', 'isFinal', ...ACCOUNT_LIMITS] : [];
  if (version === '0.6') return { must: ['paymasterAndData'], may: extra };
  const limits = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'];
  const must = ['paymaster', 'paymasterData', ...(method === STUB ? ['paymasterPostOpGasLimit'] : [])];
  return { must, may: [...limits, ...(version === '0.9' ? ['paymasterSignature'] : []), ...extra] };
}

function judgeKeys(version, method, result) {
  const { must, may } = keysOf(version, method);
  const keys = Object.keys(result);
  const missing = must.filter((key) => !keys.includes(key));
  const strange = keys.filter((key) => !must.includes(key) && !may.includes(key));
  const malformed = keys.filter((key) => FORMATS[key] && !FORMATS[key](result[key]));
  const problems = [
    ...missing.map((key) => `${key} is missing`),
    ...strange.map((key) => `${key} does not belong there`),
    ...malformed.map((key) => `${key} is no hex of its kind: ${JSON.stringify(result[key]).slice(0, 60)}`),
  ];
  if (problems.length > 0)
    return failed(problems.join('; '), problems.map((problem) => problem.split(':')[0]).join('; '));
  return passed(`exactly ${[...keys].sort().join(', ')}`, [...keys].sort().join(', '));
}

const bytesOf = (version, result) => getBytes(packPaymasterAndData(version, result));
const zeros = (bytes) => bytes.filter((byte) => byte === 0).length;

/** Both answers as the bytes that the EntryPoint sees; where limits are left out, they are left out in both. */
async function pair(session, version) {
  const [{ stub }, { answer }] = [await session.estimate(version), await session.good(version)];
  return [bytesOf(version, stub), bytesOf(version, answer.result)];
}

export const shapes = [
  {
    id: 'sponsors',
    title: 'the allowed call is sponsored',
    source: ERC,
    why: 'A service that refuses everything passes every attack.',
    needs: ['call'],
    versions: true,
    sent: `${STUB} and ${DATA} for the call of --to and --data, by a new SimpleAccount`,
    async attempt(session, version) {
      const { operation } = await session.stubRequest(version);
      const stub = await session.ask(STUB, version, operation);
      if (stub.kind !== 'result') return mustAnswer(stub);
      const { operation: complete } = await session.dataRequest(version);
      return mustAnswer(await session.ask(DATA, version, complete));
    },
  },
  {
    id: 'shape.stub-keys',
    title:
      'the stub has exactly the keys of its EntryPoint version, and no others than gas limits beside them, hex as it should be',
    source: `${ERC}, pm_getPaymasterStubData: v0.6 paymasterAndData; v0.7 and later paymaster, paymasterData, paymasterPostOpGasLimit, and optionally paymasterVerificationGasLimit`,
    why: "Clients spread every key into the operation: a key that does not belong there overwrites the user's own.",
    needs: ['call'],
    versions: true,
    sent: `${STUB} with zero gas limits, as wallets send it`,
    attempt: async (session, version) => judgeKeys(version, STUB, (await session.estimate(version)).stub),
  },
  {
    id: 'shape.data-keys',
    title: 'the final data has exactly the keys of its EntryPoint version, hex as it should be',
    source: `${ERC}, pm_getPaymasterData: v0.6 paymasterAndData; v0.7 and later paymaster, paymasterData`,
    why: 'As for the stub: what is more than the standard keys changes the operation that the user signs.',
    needs: ['call'],
    versions: true,
    sent: `${DATA} with the gas limits of an estimate`,
    attempt: async (session, version) => judgeKeys(version, DATA, (await session.good(version)).answer.result),
  },
  {
    id: 'shape.is-final',
    title: 'isFinal, where it is there, is a boolean; sponsor, where it is there, has a name and a data URI',
    source: `${ERC}: isFinal is a boolean; sponsor.icon is a data URI (RFC 2397)`,
    why: 'A wallet that reads isFinal as true leaves the second call out. A wallet that loads an icon from a server tells that server about its user.',
    needs: ['call'],
    versions: true,
    sent: STUB,
    async attempt(session, version) {
      const { isFinal, sponsor } = (await session.estimate(version)).stub;
      if (isFinal !== undefined && typeof isFinal !== 'boolean') return failed(`isFinal is ${JSON.stringify(isFinal)}`);
      if (sponsor !== undefined && typeof sponsor?.name !== 'string') return failed('sponsor has no name');
      if (sponsor?.icon !== undefined && !/^data:image\/(png|webp|svg\+xml)[;,]/.test(sponsor.icon))
        return failed('sponsor.icon is no data URI of an image');
      return passed(`isFinal ${isFinal ?? 'absent'}, sponsor ${sponsor ? 'there' : 'absent'}`);
    },
  },
  {
    id: 'stub.length',
    title: 'the stub is as long as the final data',
    source: `${ERC}: the stub has to be usable for gas estimation, so it has the final length`,
    why: 'preVerificationGas pays for every byte. A shorter stub makes the estimate too low, and the bundler refuses the operation.',
    needs: ['call'],
    versions: true,
    sent: `${STUB}, then ${DATA}`,
    async attempt(session, version) {
      const [stub, data] = await pair(session, version);
      const came = `stub ${stub.length} bytes, data ${data.length} bytes`;
      return stub.length === data.length ? passed(came) : failed(came);
    },
  },
  {
    id: 'stub.zero-bytes',
    title: 'the stub has no more zero bytes than the final data',
    source: `${ERC}: the stub must not be cheaper than the final data (zero bytes cost 4 gas, others 16)`,
    why: 'With more zero bytes in the stub the estimate of preVerificationGas is too low.',
    needs: ['call'],
    versions: true,
    sent: `${STUB}, then ${DATA}`,
    async attempt(session, version) {
      const [stub, data] = await pair(session, version);
      const came = `stub ${zeros(stub)} zero bytes, data ${zeros(data)}`;
      return zeros(stub) <= zeros(data) ? passed(came, 'passed') : failed(came, 'failed');
    },
  },
  {
    id: 'stub.placeholders',
    title: 'the first call is answered with placeholders for limits and fees: zeros, 1 wei, nothing',
    source:
      'ERC-7677: gas and fees may not be known at the first call; aa-sdk sends "0x0", relay-kit 1 wei, viem leaves fees out when it has none',
    why: 'A service that judges placeholders refuses common clients.',
    needs: ['call'],
    versions: true,
    sent: `${STUB} three times: fees "0x0", fees "0x1", no fees`,
    async attempt(session, version) {
      const fees = (value) => ({ maxFeePerGas: value, maxPriorityFeePerGas: value });
      await session.estimate(version);
      const outcomes = [];
      for (const [name, changes] of [
        ['0x0', fees('0x0')],
        ['0x1', fees('0x1')],
        ['none', fees(undefined)],
      ]) {
        const { operation } = await session.stubRequest(version, changes);
        outcomes.push(named(`fees ${name}`, mustAnswer(await session.ask(STUB, version, operation))));
      }
      return allOf(outcomes);
    },
  },
  ...[
    ['null', 'is null', [null]],
    ['missing', 'is left out', []],
  ].map(([name, is, context]) => ({
    id: `request.context-${name}`,
    title: `both calls are answered when the context ${is}`,
    source: `${ERC}: context is optional; viem sends null where the app gave none`,
    why: 'Most apps give no context.',
    needs: ['call', 'no context'],
    versions: true,
    sent: `${STUB} and ${DATA}, params[3] ${name}`,
    async attempt(session, version) {
      await session.good(version);
      const stub = (await session.stubRequest(version)).operation;
      const data = (await session.dataRequest(version)).operation;
      const ask = (method, operation) =>
        session.paymaster.call(method, [...session.params(version, operation).slice(0, 3), ...context]);
      return allOf([
        named('stub', mustAnswer(await ask(STUB, stub))),
        named('data', mustAnswer(await ask(DATA, data))),
      ]);
    },
  })),
  {
    id: 'request.other-chain',
    title: 'another chain is refused',
    source: `${ERC}: chainId is the chain of the operation`,
    why: 'Data for a chain that the service does not serve lets the wallet fail later, where nobody can tell why.',
    needs: ['call'],
    versions: true,
    sent: `${STUB} and ${DATA} with a chain id that nobody has`,
    async attempt(session, version) {
      const { operation } = await session.good(version);
      const ask = (method) => session.ask(method, version, operation, { chain: '0x7fffabcd' });
      return allOf([named('stub', mustRefuse(await ask(STUB))), named('data', mustRefuse(await ask(DATA)))]);
    },
  },
  {
    id: 'request.other-entry-point',
    title: 'an EntryPoint that is none is refused',
    source: `${ERC}: the service has to detect the EntryPoint's version and answer in its shape`,
    why: 'Data for an unknown contract may be taken as data by that contract.',
    needs: ['call'],
    versions: true,
    sent: `${STUB} and ${DATA} with entryPoint 0x…dead`,
    async attempt(session, version) {
      const { operation } = await session.good(version);
      const ask = (method) => session.ask(method, version, operation, { entryPoint: DEAD });
      return allOf([named('stub', mustRefuse(await ask(STUB))), named('data', mustRefuse(await ask(DATA)))]);
    },
  },
  {
    id: 'stub.policy',
    title: 'the stub refuses what the final call would refuse',
    source: `${ERC}: a service should check its policy in the stub call and refuse there`,
    why: 'A user who hears of a refusal only after the estimate waits longer, and some wallets show the stub as success.',
    needs: ['call', 'unlisted'],
    versions: true,
    sent: `${STUB} for the call that is not allowed`,
    async attempt(session, version) {
      await session.estimate(version);
      const { operation } = await session.stubRequest(version, { calls: session.wrapped(version, session.unlisted) });
      return mustRefuse(await session.ask(STUB, version, operation));
    },
  },
];
