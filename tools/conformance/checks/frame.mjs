import {
  allOf,
  failed,
  isRetried,
  kindOf,
  mustAnswer,
  mustRefuse,
  notTried,
  passed,
  shown,
} from '../world/outcome.mjs';
import { DATA, STUB } from '../world/session.mjs';

const JSON_RPC = 'JSON-RPC 2.0';
const IN_TIME_MS = 10_000;
/** Depth and size that no honest request has. */
const DEEP = 20_000;
const OVERSIZED_BYTES = 5_000_000;
const MANY = 1_000;

const request = (params, id = 1, method = STUB) => ({ jsonrpc: '2.0', id, method, params });

/** Any answer but a result is right here, if it comes in time and is no fault of the server; the server may hang up too. */
async function mustBeTurnedAway(paymaster, body, options) {
  const answer = await paymaster.post(body, { timeoutMs: IN_TIME_MS, ...options });
  const [came, kind] = [shown(answer), kindOf(answer)];
  if (answer.timedOut) return failed(came, 'no answer in time');
  if (isRetried(answer) || answer.kind === 'result') return failed(came, kind);
  if (answer.http === undefined) {
    const next = await paymaster.post(JSON.stringify(request([], 1, 'pm_nothing')));
    if (next.http === undefined) return failed(`${came}, and neither was the next request answered`, 'gone');
  }
  // A server that stops reading may answer, or hang up: which of them the client sees is a matter of luck.
  return passed(came, 'turned away');
}

/** An error that a JSON-RPC client can read. */
function mustBeError(answer) {
  const [came, kind] = [shown(answer), kindOf(answer)];
  if (answer.limited) return notTried(came, kind);
  if (answer.kind !== 'error' || isRetried(answer)) return failed(came, kind);
  const { jsonrpc, error } = answer.body;
  if (jsonrpc !== '2.0' || typeof error.message !== 'string')
    return failed(`${came}, without jsonrpc "2.0" or a message`, kind);
  return passed(came, kind);
}

/** The good stub request of the first version, whose id and members the checks change. */
async function goodParams(session) {
  const [version] = session.versions;
  const { operation } = await session.estimate(version);
  return session.params(version, operation);
}

const check = (id, title, sent, attempt, others) => ({
  id: `frame.${id}`,
  title,
  source: JSON_RPC,
  why: 'A client reads nothing but this frame. A server that fails on bad input fails for everybody.',
  needs: [],
  sent,
  attempt,
  ...others,
});

export const frame = [
  check(
    'answer',
    'an answer has jsonrpc "2.0", the id of its request, and either a result or an error',
    'a good and a bad request',
    async (session) => {
      const good = await session.paymaster.call(STUB, await goodParams(session), { id: 41 });
      const bad = await session.paymaster.call(STUB, [], { id: 42 });
      const outcomes = [good, bad].map((answer, index) => {
        if (answer.limited) return notTried(shown(answer));
        const { jsonrpc, id, ...members } = answer.body ?? {};
        const keys = Object.keys(members).join(', ');
        const isOne = keys === 'result' || keys === 'error';
        return jsonrpc === '2.0' && id === 41 + index && isOne
          ? passed(`jsonrpc "2.0", id ${id}, ${keys}`)
          : failed(`jsonrpc ${JSON.stringify(jsonrpc)}, id ${JSON.stringify(id)}, ${keys || 'no result and no error'}`);
      });
      return allOf(outcomes);
    },
    { needs: ['call'] },
  ),
  check(
    'ids',
    'the id comes back with its type',
    'ids 7, 0, "7", "a word"',
    async (session) => {
      const params = await goodParams(session);
      const outcomes = [];
      for (const id of [7, 0, '7', 'a word']) {
        const answer = await session.paymaster.call(STUB, params, { id });
        const came = JSON.stringify(answer.body?.id);
        outcomes.push(
          came === JSON.stringify(id) ? passed('as sent') : failed(`${JSON.stringify(id)} came back as ${came}`),
        );
      }
      return allOf(outcomes);
    },
    { needs: ['call'] },
  ),
  check(
    'batch',
    'a batch of two gets two answers',
    `[${STUB}, an unknown method]`,
    async (session) => {
      const params = await goodParams(session);
      const body = JSON.stringify([request(params, 1), request([], 2, 'pm_nothing')]);
      const { kind, body: answers, ...answer } = await session.paymaster.post(body);
      if (kind !== 'batch') return failed(`no array: ${shown({ kind, ...answer })}`, 'no array');
      const ids = answers.map(({ id }) => id).sort();
      const [good, bad] = [1, 2].map((id) => answers.find((one) => one.id === id));
      return ids.join() === '1,2' && good.result && bad.error
        ? passed('a result and an error, each with its id')
        : failed(`ids ${ids.join(', ')}`);
    },
    { needs: ['call'] },
  ),
  check('empty-batch', 'an empty batch is an error', '[]', async ({ paymaster }) =>
    mustBeError(await paymaster.post('[]')),
  ),
  check(
    'huge-batch',
    `a batch of ${MANY} is refused or answered in time`,
    `${MANY} calls of an unknown method`,
    async ({ paymaster }) => {
      const body = JSON.stringify(Array.from({ length: MANY }, (_, id) => request([], id, 'pm_nothing')));
      return mustBeTurnedAway(paymaster, body);
    },
  ),
  ...[
    ['not-json', 'a body that is not JSON', '{"jsonrpc":"2.0",'],
    ['empty', 'an empty body', ''],
    ['no-object', 'a body that is a number', '7'],
    ['no-method', 'a request without a method', '{"jsonrpc":"2.0","id":1,"params":[]}'],
    ['unknown-method', 'an unknown method', JSON.stringify(request([], 1, 'pm_nothing'))],
    ['no-params', 'a request without params', `{"jsonrpc":"2.0","id":1,"method":"${STUB}"}`],
    ['params-string', 'params that are a text', JSON.stringify(request('none'))],
    ['operation-null', 'an operation that is null', JSON.stringify(request([null, null, null, null]))],
    ['operation-list', 'an operation that is a list', JSON.stringify(request([[], [], [], []]))],
  ].map(([id, what, body]) =>
    check(id, `an error answers ${what}`, body || 'nothing', async ({ paymaster }) =>
      mustBeError(await paymaster.post(body)),
    ),
  ),
  check('deep', `an operation nested ${DEEP} deep is turned away`, `callData: [[[…]]]`, async ({ paymaster }) => {
    const nested = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"${DATA}","params":[{"callData":${nested}}]}`;
    return mustBeTurnedAway(paymaster, body);
  }),
  check('oversized', 'a body of 5 MB is turned away', 'callData of 5 MB', async ({ paymaster }) => {
    const body = JSON.stringify(request([{ callData: `0x${'00'.repeat(OVERSIZED_BYTES / 2)}` }]));
    return mustBeTurnedAway(paymaster, body);
  }),
  check('many-keys', 'an operation of 20,000 keys is turned away', '{"k0":0,"k1":0,…}', async ({ paymaster }) => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 0]));
    return mustBeTurnedAway(paymaster, JSON.stringify(request([keys])));
  }),
  check(
    'still-there',
    'after all of this a good request is answered in time',
    STUB,
    async (session) => {
      const answer = await session.paymaster.call(STUB, await goodParams(session));
      return answer.ms > IN_TIME_MS
        ? failed(`answered after ${Math.round(answer.ms)} ms`, 'too late')
        : mustAnswer(answer);
    },
    { needs: ['call'] },
  ),
  check(
    'get',
    'a GET brings no data and no fault',
    'GET',
    async ({ paymaster }) => mustBeTurnedAway(paymaster, undefined, { method: 'GET' }),
    { why: 'An address that is opened in a browser, or found by a robot, must not cost anything.' },
  ),
  check(
    'wrong-key',
    'a wrong key gets an error and no data',
    'a good request with one character of the key changed',
    async (session) => {
      const wrong = session.paymaster.withWrongKey();
      if (!wrong) return notTried('give --url or --header with a key of at least 16 characters in it', 'no key');
      const answer = await wrong.call(STUB, await goodParams(session));
      return answer.http === 401 || answer.http === 403 || answer.http === 404
        ? passed(shown(answer), kindOf(answer))
        : mustRefuse(answer);
    },
    {
      needs: ['call'],
      source: 'docs/threats.md',
      why: 'The key is what binds a request to the one who pays.',
    },
  ),
  check(
    'cors',
    'a page may ask, also with the headers that tracing adds',
    'OPTIONS with Origin, Access-Control-Request-Headers: content-type, traceparent, baggage',
    async ({ paymaster }) => {
      const asked = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
      const wanted = ['content-type', 'traceparent', 'baggage'];
      const headers = { ...asked, 'Access-Control-Request-Headers': wanted.join(', ') };
      const answer = await paymaster.post(undefined, { method: 'OPTIONS', headers });
      const [origin, allowed] = ['origin', 'headers'].map(
        (name) => answer.headers.get(`access-control-allow-${name}`) ?? '',
      );
      const missing = wanted.filter((name) => allowed !== '*' && !allowed.toLowerCase().includes(name));
      if (!['*', asked.Origin].includes(origin))
        return failed(`HTTP ${answer.http}, allow-origin ${origin || 'absent'}`);
      return missing.length === 0
        ? passed(`HTTP ${answer.http}, allowed`)
        : failed(`not allowed: ${missing.join(', ')}`);
    },
    {
      source: 'Fetch standard, CORS preflight',
      why: 'Wallets in browsers call the service directly, and tracing libraries add headers to every call.',
    },
  ),
];

/** Members of an operation written in a way that they must not be. */
const BAD_MEMBERS = [
  ['odd-hex', 'odd hex', { callData: '0xb61d27f' }],
  ['no-hex', 'what is no hex', { callData: '0xzz' }],
  ['no-data', 'no call data', { callData: undefined }],
  ['number-as-data', 'a number as call data', { callData: 7 }],
  ['short-sender', 'a sender of 19 bytes', { sender: `0x${'11'.repeat(19)}` }],
  ['no-sender', 'no sender', { sender: undefined }],
  ['negative-hex', 'a negative nonce', { nonce: '-0x1' }],
  ['negative-number', 'a negative limit', { callGasLimit: -1 }],
  ['fraction', 'a fraction', { preVerificationGas: 1.5 }],
  ['nonce-above-word', 'a nonce of 2^256', { nonce: `0x1${'0'.repeat(64)}` }],
  ['gas-above-field', 'a gas limit of 2^256', { callGasLimit: `0x1${'0'.repeat(64)}` }],
  ['fee-above-field', 'a fee of 2^256', { maxFeePerGas: `0x1${'0'.repeat(64)}` }],
  ['exponent', 'a quantity as 1e10', { maxFeePerGas: '1e10' }],
  ['object', 'an object as a quantity', { nonce: {} }],
];

/** Operations that are none. */
export const members = [
  ...BAD_MEMBERS.map(([id, what, changes]) => ({
    id: `member.${id}`,
    title: `an operation with ${what} is refused`,
    source: 'ERC-4337 and ERC-7677: the members of a user operation',
    why: 'A value that two readers read in two ways is signed as one thing and run as another.',
    needs: ['call'],
    versions: true,
    sent: `${DATA}: ${JSON.stringify(changes, (_, value) => value ?? 'left out').replace(/0{20,}/g, '0…0')}`,
    attempt: async (session, version) => mustRefuse((await session.attack(version, changes)).answer),
  })),
  {
    id: 'member.duplicate',
    title: 'a member that is there twice is never signed for the one that was not judged',
    source: 'RFC 8259: names in an object should be unique; parsers differ',
    why: 'One parser judges the first call data, another signs the last.',
    needs: ['call', 'unlisted'],
    versions: true,
    sent: `${DATA} with two members callData, one allowed and one not, in both orders`,
    async attempt(session, version) {
      const { account, operation } = await session.dataRequest(version);
      await session.good(version);
      const bad = session.wrapped(version, session.unlisted);
      const outcomes = [];
      for (const [first, last] of [
        [operation.callData, bad],
        [bad, operation.callData],
      ]) {
        const text = JSON.stringify(request(session.params(version, { ...operation, callData: last }), 1, DATA));
        const body = text.replace('"callData":', `"callData":${JSON.stringify(first)},"callData":`);
        const answer = await session.paymaster.post(body);
        if (answer.kind !== 'result') outcomes.push(mustRefuse(answer));
        else {
          const forBad = { ...operation, ...answer.result, callData: bad };
          const reason = await session.tried(version, account, forBad);
          outcomes.push(
            reason
              ? passed(
                  `signed for the allowed call only: the other fails with ${reason}`,
                  'signed for the allowed call',
                )
              : failed('signed for the call that is not allowed', 'signed'),
          );
        }
      }
      return allOf(outcomes);
    },
  },
];
