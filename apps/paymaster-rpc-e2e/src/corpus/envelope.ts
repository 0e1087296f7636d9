import { gzipSync } from 'node:zlib';
import { INCREMENT, RESET } from '../support/demo-contract';
import { execute } from '../support/call-data';
import { AS_SENT } from '../support/sponsor';
import { BAD_PARAMS, FRAME, json, params, text, type BadInput, type Given, type Sent } from './bad-input';

const PARSE = { code: -32700 } as const;
const FRAME_ERROR = { code: -32600 } as const;
const PARSE_OR_FRAME = { code: [-32700, -32600] } as const;
const TOO_LARGE = { code: -32600, http: 413 } as const;
const MEDIA_TYPE = { code: -32600, http: 415 } as const;
const WRONG_METHOD = { code: -32600, http: 405 } as const;

const LIMIT = 256 * 1024;
const CHAIN_ID = { jsonrpc: '2.0', id: 1, method: 'pm_chainId', params: [] };
const ping = JSON.stringify(CHAIN_ID);

/** A good request padded with white space, which JSON allows, to exactly so many bytes. */
const padded = (bytes: number) => text(ping.padEnd(bytes, ' '));

const bytes = (...parts: (string | Buffer)[]) =>
  Uint8Array.from(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));

const withType = (contentType: string, sent: Sent = text(ping)): Sent => ({
  ...sent,
  headers: { 'content-type': contentType },
});

/** The good request with a member added to the mode object. */
const inMode = (member: Record<string, unknown>) => (given: Given) => params(given.good, { ...AS_SENT, ...member });

/** The good request with `callData` there twice: `JSON.parse` lets the last one win. */
function twice(first: string, last: string) {
  return ({ good, demo }: Given): Sent => {
    const [a, b] = [first, last].map((data) => execute({ to: demo, data: data as '0x' }));
    const body = JSON.stringify({ ...FRAME, params: [{ ...good, callData: b }, AS_SENT] });
    return text(body.replace('"callData"', `"callData":"${a}","callData"`));
  };
}

/**
 * Corpus C1: the HTTP and JSON envelope. What no HTTP client would send, or would give up sending, is in the
 * raw-socket cases.
 */
export const envelope: readonly BadInput[] = [
  { number: 1, title: 'empty body', send: () => text(''), error: PARSE },
  { number: 2, title: 'only white space', send: () => text(' \n\t '), error: PARSE },
  { number: 3, title: 'an open brace', send: () => text('{'), error: PARSE },
  { number: 4, title: 'trailing comma', send: () => text(ping.replace(/}$/, ',}')), error: PARSE },
  { number: 5, title: 'single quotes', send: () => text(ping.replaceAll('"', "'")), error: PARSE },
  { number: 6, title: 'NaN', send: () => text(ping.replace('"id":1', '"id":NaN')), error: PARSE },
  { number: 6, title: 'Infinity', send: () => text(ping.replace('"id":1', '"id":Infinity')), error: PARSE },
  // RFC 8259 lets a parser ignore a byte order mark, or not.
  { number: 7, title: 'UTF-8 byte order mark', send: () => text(`\ufeff${ping}`), error: PARSE, result: true },
  { number: 8, title: 'UTF-16', send: () => ({ body: bytes(Buffer.from(ping, 'utf16le')) }), error: PARSE },
  {
    number: 9,
    title: 'invalid UTF-8',
    send: () => ({ body: bytes('{"jsonrpc":"2.0","method":"pm_chainId","id":"', Buffer.from([0xc3, 0x28]), '"}') }),
    error: PARSE,
  },
  {
    number: 10,
    title: 'lone surrogate in an address',
    send: ({ good }) => text(JSON.stringify({ ...FRAME, params: [good, AS_SENT] }).replace(good.sender, '\\ud800')),
    error: BAD_PARAMS,
  },
  { number: 11, title: 'NUL byte in the text', send: () => text(ping.replace('2.0', '2.0\u0000')), error: PARSE },
  {
    number: 11,
    title: 'escaped NUL in an address',
    send: ({ good }) => params({ ...good, sender: `${good.sender}\u0000` }, AS_SENT),
    error: BAD_PARAMS,
  },
  {
    number: 12,
    title: 'method twice: the one that is checked is the one that runs',
    send: () => text(ping.replace('"method"', '"method":"rpc.discover","method"')),
    error: PARSE_OR_FRAME,
    result: (result) => expect(result).toMatch(/^0x/),
  },
  {
    number: 12,
    title: 'callData twice, the last one not whitelisted',
    send: twice(INCREMENT, RESET),
    error: { code: [-32700, -32600, -32501] },
  },
  { number: 13, title: 'exactly 256 KiB', send: () => padded(LIMIT), result: true },
  { number: 14, title: 'one byte more than 256 KiB', send: () => padded(LIMIT + 1), error: TOO_LARGE },
  {
    number: 19,
    title: 'gzip bomb',
    send: () => ({
      body: Uint8Array.from(gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    }),
    error: { code: -32600, http: 415 },
  },
  { number: 20, title: 'text/plain', send: () => withType('text/plain'), error: MEDIA_TYPE },
  { number: 21, title: 'no content type', send: () => ({ body: bytes(ping), headers: {} }), error: MEDIA_TYPE },
  {
    number: 22,
    title: 'charset=latin1',
    send: () => withType('application/json; charset=latin1'),
    error: MEDIA_TYPE,
    result: true,
  },
  { number: 23, title: 'GET', send: () => ({ method: 'GET', headers: {} }), error: WRONG_METHOD },
  { number: 24, title: 'PUT', send: () => ({ ...text(ping), method: 'PUT' }), error: WRONG_METHOD },
  { number: 26, title: '100,000 open brackets', send: () => text('['.repeat(100_000)), error: PARSE_OR_FRAME },
  {
    number: 26,
    title: '100,000 nested arrays',
    send: () => text('['.repeat(100_000) + ']'.repeat(100_000)),
    error: FRAME_ERROR,
  },
  {
    number: 27,
    title: '5,000 nested objects',
    send: () => text('{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)),
    error: FRAME_ERROR,
  },
  { number: 28, title: 'array of 100,000', send: () => json(Array(100_000).fill(0)), error: FRAME_ERROR },
  { number: 29, title: '15,000 keys', send: inMode(keys(15_000)), error: FRAME_ERROR },
  {
    number: 30,
    title: 'key of 200 KiB',
    send: inMode({ ['k'.repeat(200 * 1024)]: 1 }),
    error: BAD_PARAMS,
    result: true,
  },
  {
    number: 31,
    title: '__proto__ at the root',
    send: () => text(ping.replace('{', '{"__proto__":{"polluted":true},')),
    error: PARSE_OR_FRAME,
    result: true,
  },
  {
    number: 32,
    title: 'constructor.prototype in params',
    send: inMode({ constructor: { prototype: { polluted: true } } }),
    error: { code: [-32700, -32600, -32602] },
    result: true,
  },
  {
    number: 33,
    title: 'toString and hasOwnProperty as keys',
    send: inMode({ toString: 'x', hasOwnProperty: 1, valueOf: null }),
    error: BAD_PARAMS,
    result: true,
  },
  { number: 34, title: 'id 1e400', send: () => text(ping.replace('"id":1', '"id":1e400')), error: PARSE_OR_FRAME },
];

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0]));
}
