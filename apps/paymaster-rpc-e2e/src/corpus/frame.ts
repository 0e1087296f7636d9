import { AS_SENT } from '../support/sponsor';
import { FRAME, json, text, type BadInput, type Given } from './bad-input';

const INVALID = { code: -32600 } as const;
const UNKNOWN_METHOD = { code: -32601 } as const;
const BAD_PARAMS = { code: -32602 } as const;

/** The good request with members of its frame replaced. */
const frame =
  (members: Record<string, unknown>) =>
  ({ good }: Given) =>
    json({ ...FRAME, params: [good, AS_SENT], ...members });

/** The good request with its id written as this JSON text. */
const id = (jsonText: string) => (given: Given) =>
  text(String(frame({ id: 0 })(given).body).replace('"id":0', `"id":${jsonText}`));

/** Corpus C2: the JSON-RPC frame. Batches and the echo of ids, which need more than a class, are in the spec. */
export const frames: readonly BadInput[] = [
  { number: 35, title: 'empty batch', send: () => text('[]'), error: INVALID },
  { number: 37, title: 'batch of 21', send: batch(21), error: INVALID },
  { number: 38, title: 'batch of 1,000', send: batch(1_000), error: INVALID },
  { number: 41, title: 'notification', send: frame({ id: undefined }), error: INVALID },
  { number: 46, title: 'id an object', send: frame({ id: {} }), error: INVALID },
  { number: 46, title: 'id an array', send: frame({ id: [1] }), error: INVALID },
  { number: 46, title: 'id a boolean', send: frame({ id: true }), error: INVALID },
  { number: 47, title: 'id of 10 KiB', send: frame({ id: 'i'.repeat(10_240) }), error: INVALID, result: true },
  { number: 45, title: 'id 1.5', send: id('1.5'), result: true },
  { number: 50, title: 'jsonrpc "1.0"', send: frame({ jsonrpc: '1.0' }), error: INVALID },
  { number: 51, title: 'jsonrpc a number', send: frame({ jsonrpc: 2.0 }), error: INVALID },
  { number: 52, title: 'jsonrpc missing', send: frame({ jsonrpc: undefined }), error: INVALID },
  { number: 54, title: 'method with a space', send: frame({ method: 'pm_getFeeQuoteOrData ' }), error: UNKNOWN_METHOD },
  { number: 55, title: 'method a number', send: frame({ method: 7 }), error: INVALID },
  { number: 56, title: 'method __proto__', send: frame({ method: '__proto__' }), error: UNKNOWN_METHOD },
  { number: 56, title: 'method constructor', send: frame({ method: 'constructor' }), error: UNKNOWN_METHOD },
  { number: 56, title: 'method toString', send: frame({ method: 'toString' }), error: UNKNOWN_METHOD },
  { number: 57, title: 'params an object', send: frame({ params: {} }), error: { code: [-32600, -32602] } },
  { number: 57, title: 'params a string', send: frame({ params: '[]' }), error: { code: [-32600, -32602] } },
  { number: 58, title: 'no params', send: frame({ params: [] }), error: BAD_PARAMS },
  { number: 58, title: 'one param', send: ({ good }) => json({ ...FRAME, params: [good] }), error: BAD_PARAMS },
  {
    number: 58,
    title: 'three params, the second an object',
    send: ({ good }) => json({ ...FRAME, params: [good, AS_SENT, {}] }),
    error: BAD_PARAMS,
  },
  {
    number: 58,
    title: '1,000 params',
    send: ({ good }) => json({ ...FRAME, params: [good, AS_SENT, ...Array<null>(998).fill(null)] }),
    error: BAD_PARAMS,
  },
];

function batch(size: number) {
  return () => json(Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'pm_chainId' })));
}
