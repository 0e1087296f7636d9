import { AS_SENT, SPONSORED } from '../support/sponsor';
import { BAD_PARAMS, literal, named, operation, params, REFUSED, type BadInput } from './bad-input';
import { signedExactly } from './signed-exactly';

const ZERO = '0x0000000000000000000000000000000000000000';
const nonce = named('nonce');
const sender = named('sender');

/** Corpus C3, first half: sender and nonce of the partial user operation. */
export const operations: readonly BadInput[] = [
  { number: 59, title: 'null', send: () => params(null, AS_SENT), error: named('params\\[0\\]') },
  { number: 60, title: 'an array', send: () => params([], AS_SENT), error: named('params\\[0\\]') },
  { number: 61, title: 'empty: a needed field is named', send: () => params({}, AS_SENT), error: sender },
  { number: 62, title: 'sender missing', send: operation({ sender: undefined }), error: sender },
  { number: 63, title: 'sender of 19 bytes', send: operation({ sender: `0x${'11'.repeat(19)}` }), error: sender },
  { number: 64, title: 'sender of 21 bytes', send: operation({ sender: `0x${'11'.repeat(21)}` }), error: sender },
  { number: 65, title: 'sender without 0x', send: operation({ sender: '11'.repeat(20) }), error: sender },
  { number: 66, title: 'sender with 0X', send: operation({ sender: `0X${'11'.repeat(20)}` }), error: sender },
  {
    number: 67,
    title: 'sender with a wrong checksum is accepted: addresses come in any case',
    send: ({ good }) => params({ ...good, sender: `0x${good.sender.slice(2).toUpperCase()}` }, AS_SENT),
    result: signedExactly(),
  },
  { number: 68, title: 'sender zero', send: estimated(() => ZERO), error: REFUSED },
  {
    number: 69,
    title: 'sender = the paymaster',
    send: estimated(({ stack }) => stack.paymasters['0.6']),
    error: REFUSED,
  },
  {
    number: 70,
    title: 'sender = the EntryPoint',
    send: estimated(({ stack }) => stack.entryPoints['0.6']),
    error: REFUSED,
  },
  { number: 71, title: 'sender a precompile', send: estimated(() => `0x${'00'.repeat(19)}09`), error: REFUSED },
  {
    number: 72,
    title: 'sender with a trailing newline',
    send: ({ good }) => params({ ...good, sender: `${good.sender}\n` }, AS_SENT),
    error: sender,
  },
  {
    number: 73,
    title: 'sender in full-width digits',
    send: operation({ sender: `0x${'\uff11'.repeat(40)}` }),
    error: sender,
  },
  { number: 74, title: 'nonce -1', send: operation({ nonce: -1 }), error: nonce },
  { number: 74, title: 'nonce "-1"', send: operation({ nonce: '-1' }), error: nonce },
  { number: 74, title: 'nonce "-0x1"', send: operation({ nonce: '-0x1' }), error: nonce },
  {
    number: 75,
    title: 'nonce "0x" is zero',
    send: operation({ nonce: '0x' }),
    result: signedExactly({ nonce: '0x0' }),
  },
  { number: 76, title: 'nonce 2^256', send: operation({ nonce: `0x1${'0'.repeat(64)}` }), error: nonce },
  {
    number: 77,
    title: 'nonce 2^256-1',
    send: operation({ nonce: `0x${'f'.repeat(64)}` }),
    result: signedExactly({ nonce: `0x${'f'.repeat(64)}` }),
    error: { code: -32500 },
  },
  {
    number: 78,
    title: 'nonce as a decimal string',
    send: operation({ nonce: '12' }),
    result: signedExactly({ nonce: '0xc' }),
  },
  {
    number: 79,
    title: 'nonce a number above 2^53: exact or refused, never rounded',
    send: literal('nonce', '9007199254740993'),
    result: signedExactly({ nonce: '0x20000000000001' }),
    error: nonce,
  },
  {
    number: 80,
    title: 'nonce with leading zeros',
    send: operation({ nonce: `0x${'0'.repeat(63)}1` }),
    result: signedExactly({ nonce: '0x1' }),
  },
  {
    number: 80,
    title: 'nonce of odd length',
    send: operation({ nonce: '0x001' }),
    result: signedExactly({ nonce: '0x1' }),
  },
  {
    number: 81,
    title: 'nonce 1e3',
    send: literal('nonce', '1e3'),
    result: signedExactly({ nonce: '0x3e8' }),
    error: nonce,
  },
  { number: 81, title: 'nonce "1e3"', send: operation({ nonce: '1e3' }), error: nonce },
  { number: 81, title: 'nonce 1.5', send: operation({ nonce: 1.5 }), error: nonce },
  { number: 81, title: 'nonce 1e400', send: literal('nonce', '1e400'), error: nonce },
  {
    number: 82,
    title: 'nonce already used on chain',
    send: ({ deployed }) => params({ ...deployed, nonce: '0x0' }, SPONSORED),
    error: { code: -32500 },
  },
  {
    number: 83,
    title: 'nonce far ahead',
    send: ({ deployed }) => params({ ...deployed, nonce: '0x3e8' }, SPONSORED),
    error: { code: -32500 },
  },
  { number: 84, title: 'callData of odd length', send: operation({ callData: '0xb61d27f' }), error: named('callData') },
  { number: 85, title: 'callData not hex', send: operation({ callData: '0xzz' }), error: named('callData') },
  { number: 85, title: 'callData missing', send: operation({ callData: undefined }), error: named('callData') },
  { number: 85, title: 'callData a number', send: operation({ callData: 7 }), error: BAD_PARAMS },
  {
    number: 86,
    title: 'callData of 128 KiB',
    send: operation({ callData: `0x${'00'.repeat(128 * 1024)}` }),
    error: { code: -32600, http: 413 },
  },
  {
    number: 86,
    title: 'callData of 100 KiB of nothing',
    send: operation({ callData: `0x${'00'.repeat(100 * 1024)}` }),
    error: REFUSED,
  },
  { number: 87, title: 'callData of 3 bytes', send: operation({ callData: '0xb61d27' }), error: REFUSED },
  { number: 88, title: 'callData empty', send: operation({ callData: '0x' }), error: REFUSED },
];

/** The good operation of a deployed account, from another sender, with estimation. */
function estimated(senderOf: (given: Parameters<BadInput['send']>[0]) => string): BadInput['send'] {
  return (given) => params({ ...given.deployed, sender: senderOf(given) }, SPONSORED);
}
