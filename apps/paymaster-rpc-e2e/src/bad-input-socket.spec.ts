import { readStack } from '@paymaster/devnet';
import { execute } from './support/call-data';
import { INCREMENT } from './support/demo-contract';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { http, resultOf } from './support/json-rpc';
import { rawExchange, type RawExchange, type RawRequest } from './support/raw-socket';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { askSponsor, AS_SENT, LIMITS } from './support/sponsor';

// Corpus C1, what only a hand-written socket can say: lengths that lie, requests that never end.

const stack = readStack();
const PING = '{"jsonrpc":"2.0","id":1,"method":"pm_chainId","params":[]}';
/** A slow client is cut within 10 s, and would go on for a minute; the rest is for a busy machine. */
const CUT_MS = 30_000;
/** An answer, or the end of the connection, that waited for nothing: before a slow client is cut. */
const IN_TIME_MS = 9_000;

let paymaster: FreshPaymaster;
let path: string;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
  path = new URL(paymaster.url).pathname;
});

/** The process lives and signs. */
afterEach(async () => {
  expect((await http({ url: `${stack.paymasterRpc}/health/live`, method: 'GET', headers: {} })).status).toBe(200);
  const account = await newSimpleAccount(stack, '0.6');
  const callData = execute({ to: stack.demoContract.address, data: INCREMENT });
  const operation = { ...(await draftOperation(stack, account, { callData })), ...LIMITS };
  resultOf(await askSponsor({ url: paymaster.url, operation, mode: AS_SENT }));
});

function head(...extra: string[]): string {
  return [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...extra, '', ''].join('\r\n');
}

const exchange = (request: Omit<RawRequest, 'baseUrl'>) => rawExchange({ baseUrl: stack.paymasterRpc, ...request });

it('answers a request written by hand', async () => {
  const { status, text } = await exchange({ head: head(`Content-Length: ${PING.length}`), body: PING });
  expect(status).toBe(200);
  expect(text).toContain('"result":"0x');
});

it('16 Content-Length too small: what is there is not JSON', async () => {
  const { status, text } = await exchange({ head: head('Content-Length: 20'), body: PING });
  // The rest of the body is a malformed second request to the parser of HTTP, which may be the first to answer.
  expect(status).toBe(400);
  expect(text).not.toContain('"result"');
});

it('16 Content-Length not a number', async () => {
  const { status } = await exchange({ head: head('Content-Length: 58x'), body: PING });
  expect(status).toBe(400);
});

it('16 two Content-Lengths that disagree', async () => {
  const { status } = await exchange({ head: head('Content-Length: 58', 'Content-Length: 4'), body: PING });
  expect(status).toBe(400);
});

it('16 Content-Length beside Transfer-Encoding, as in request smuggling', async () => {
  const body = `${PING.length.toString(16)}\r\n${PING}\r\n0\r\n\r\n`;
  const { status } = await exchange({ head: head('Content-Length: 4', 'Transfer-Encoding: chunked'), body });
  expect(status).toBe(400);
});

it('18 a chunk with a size that is no number', async () => {
  const { status } = await exchange({ head: head('Transfer-Encoding: chunked'), body: `zz\r\n${PING}\r\n0\r\n\r\n` });
  expect(status).toBe(400);
});

/** A server that closes while a client still writes may be heard as a reset, its last words lost. */
function expectTooLarge({ status, text, closedByServer }: RawExchange): void {
  if (status === undefined) expect(closedByServer).toBe(true);
  else expect({ status, text }).toEqual({ status: 413, text: expect.stringContaining('-32600') });
}

it('15 Content-Length of 10 GiB is refused before a byte of it is read', async () => {
  const { status, text, elapsedMs } = await exchange({ head: head('Content-Length: 10737418240') });
  expect(status).toBe(413);
  expect(text).toContain('-32600');
  expect(elapsedMs).toBeLessThan(IN_TIME_MS);
});

it.each<[string, () => string]>([
  ['15 10 MiB', () => PING.padEnd(10 * 2 ** 20, ' ')],
  ['28 array of 1,000,000', () => JSON.stringify(Array(1_000_000).fill(0))],
  [
    '29 100,000 keys',
    () => JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 0]))),
  ],
  ['30 key of 1 MiB', () => JSON.stringify({ ['k'.repeat(2 ** 20)]: 1 })],
])('%s: 413 in time', async (_title, make) => {
  const body = make();
  const answer = await exchange({ head: head(`Content-Length: ${body.length}`), body });
  expectTooLarge(answer);
  expect(answer.elapsedMs).toBeLessThan(IN_TIME_MS);
});

it('15 an endless chunked body is cut at the limit', async () => {
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
  const { status, closedByServer } = await exchange({
    head: head('Transfer-Encoding: chunked'),
    body: chunk.repeat(6),
  });
  expect(status === 413 || (status === undefined && closedByServer)).toBe(true);
});

it('30 a header of 100 KiB', async () => {
  const { status, closedByServer } = await exchange({ head: head(`X-Long: ${'h'.repeat(102_400)}`) });
  expect(status === 431 || (status === undefined && closedByServer)).toBe(true);
});

it('11 a request line of nothing', async () => {
  const { status } = await exchange({ head: '\0\0\0\r\n\r\n' });
  expect(status).toBe(400);
});

it.each<[string, () => Omit<RawRequest, 'baseUrl'>]>([
  [
    '17 Content-Length too large: the rest never comes',
    () => ({ head: head(`Content-Length: ${PING.length + 100}`), body: PING }),
  ],
  [
    '18 slow loris: one chunk of one byte a second',
    () => ({ head: head('Transfer-Encoding: chunked'), drip: [...PING].map((letter) => `1\r\n${letter}\r\n`) }),
  ],
  ['18 slow loris: one header a second', () => ({ head: head().slice(0, -2), drip: Array(60).fill('X-Slow: 1\r\n') })],
])('%s: cut within 10 s', async (_title, request) => {
  const { status, closedByServer, elapsedMs } = await exchange({ ...request(), giveUpMs: 40_000 });
  expect(status === 408 || closedByServer).toBe(true);
  expect(elapsedMs).toBeLessThan(CUT_MS);
});

it('18 twenty slow clients do not slow a quick one', async () => {
  let ended = 0;
  const slow = Array.from({ length: 20 }, async () => {
    await exchange({ head: head('Transfer-Encoding: chunked'), drip: ['1\r\n{\r\n'], giveUpMs: 40_000 });
    ended += 1;
  });
  const { status } = await exchange({ head: head(`Content-Length: ${PING.length}`), body: PING });
  expect({ status, ended }).toEqual({ status: 200, ended: 0 });
  await Promise.all(slow);
});
