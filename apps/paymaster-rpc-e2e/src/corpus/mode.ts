import { AS_SENT } from '../support/sponsor';
import { mode, named, type BadInput } from './bad-input';

const TOKEN = '0x00000000000000000000000000000000000000aa';
const info = AS_SENT.sponsorshipInfo;

const withInfo = (changes: Record<string, unknown>) => mode({ ...AS_SENT, sponsorshipInfo: { ...info, ...changes } });

const withAccount = (changes: Record<string, unknown>) =>
  withInfo({ smartAccountInfo: { ...info.smartAccountInfo, ...changes } });

/** The final call of token mode. What quotes make of tokens is in token-selection.spec.ts. */
const erc20 = (tokenInfo: unknown) => mode({ mode: 'ERC20', tokenInfo });
/** USDC of Ethereum: no contract on this chain. */
const ELSEWHERE = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

/** Corpus C5: the mode object. 146 and 147 are the dashboard's, 150 is in token-quotes.spec.ts. */
export const modes: readonly BadInput[] = [
  { number: 123, title: 'mode missing', send: mode({ ...AS_SENT, mode: undefined }), result: true },
  { number: 123, title: 'nothing in it', send: mode({}), error: named('mode') },
  { number: 124, title: '"sponsored"', send: mode({ ...AS_SENT, mode: 'sponsored' }), error: named('mode') },
  { number: 125, title: '"SPONSORSHIP"', send: mode({ ...AS_SENT, mode: 'SPONSORSHIP' }), result: true },
  { number: 126, title: '"HYBRID"', send: mode({ ...AS_SENT, mode: 'HYBRID' }), error: named('mode') },
  { number: 127, title: '["SPONSORED"]', send: mode({ ...AS_SENT, mode: ['SPONSORED'] }), error: named('mode') },
  { number: 128, title: 'trailing NUL', send: mode({ ...AS_SENT, mode: 'SPONSORED\0' }), error: named('mode') },
  {
    number: 129,
    title: 'sponsorshipInfo missing',
    send: mode({ ...AS_SENT, sponsorshipInfo: undefined }),
    error: named('sponsorshipInfo'),
  },
  {
    number: 129,
    title: 'sponsorshipInfo null',
    send: mode({ ...AS_SENT, sponsorshipInfo: null }),
    error: named('sponsorshipInfo'),
  },
  { number: 130, title: 'webhookData missing', send: withInfo({ webhookData: undefined }), result: true },
  {
    number: 131,
    title: 'webhookData of 200 KiB',
    send: withInfo({ webhookData: { a: 'x'.repeat(200 * 1024) } }),
    result: true,
  },
  { number: 132, title: 'webhookData 50 deep', send: withInfo({ webhookData: nested(50) }), error: { code: -32600 } },
  { number: 132, title: 'webhookData 20 deep', send: withInfo({ webhookData: nested(20) }), result: true },
  { number: 132, title: 'webhookData a string', send: withInfo({ webhookData: 'x' }), error: named('webhookData') },
  { number: 134, title: 'unknown account name', send: withAccount({ name: 'ACME' }), error: named('INFINITISM') },
  {
    number: 134,
    title: 'account name of Object',
    send: withAccount({ name: 'constructor' }),
    error: named('INFINITISM'),
  },
  { number: 135, title: 'account name an array', send: withAccount({ name: ['INFINITISM'] }), error: named('name') },
  { number: 136, title: 'version with SQL', send: withAccount({ version: "2.0.0'--" }), error: named('version') },
  { number: 136, title: 'version a number', send: withAccount({ version: 1 }), error: named('version') },
  { number: 137, title: 'sponsorshipInfo and tokenInfo', send: mode({ ...AS_SENT, tokenInfo: {} }), result: true },
  { number: 138, title: 'tokenInfo missing in ERC20', send: mode({ mode: 'ERC20' }), error: named('tokenInfo') },
  { number: 138, title: 'tokenInfo a list', send: erc20([TOKEN]), error: named('tokenInfo') },
  {
    number: 139,
    title: 'preferredToken not an address',
    send: erc20({ preferredToken: 'x' }),
    error: named('preferredToken'),
  },
  { number: 140, title: 'tokenList empty', send: erc20({ tokenList: [] }), error: named('feeTokenAddress') },
  {
    number: 141,
    title: 'tokenList of 5,000',
    send: erc20({ tokenList: Array(5_000).fill(TOKEN) }),
    error: named('tokenList'),
  },
  {
    number: 142,
    title: 'duplicates in another case',
    send: erc20({ tokenList: [TOKEN, TOKEN.toUpperCase().replace('X', 'x')] }),
    error: named(TOKEN),
  },
  {
    number: 143,
    title: 'preferredToken not in tokenList',
    send: erc20({ preferredToken: TOKEN, tokenList: [`0x${'11'.repeat(20)}`] }),
    error: named(TOKEN),
  },
  { number: 144, title: 'token without code', send: erc20({ tokenList: [TOKEN] }), error: named(TOKEN) },
  {
    number: 145,
    title: 'token zero',
    send: erc20({ tokenList: [`0x${'00'.repeat(20)}`] }),
    error: named(`0x${'00'.repeat(20)}`),
  },
  {
    number: 145,
    title: 'the native pseudo-address',
    send: erc20({ tokenList: [`0x${'Ee'.repeat(20)}`] }),
    error: named(`0x${'ee'.repeat(20)}`),
  },
  {
    number: 148,
    title: 'no supported token',
    send: erc20({ tokenList: [`0x${'22'.repeat(20)}`] }),
    error: named(`0x${'22'.repeat(20)}`),
  },
  {
    number: 149,
    title: 'a token of another chain',
    send: erc20({ feeTokenAddress: ELSEWHERE }),
    error: named(ELSEWHERE.toLowerCase()),
  },
  // How long a signature may live is part of the mode object too.
  {
    number: 123,
    title: 'expiryDuration below 120',
    send: mode({ ...AS_SENT, expiryDuration: 119 }),
    error: named('expiryDuration'),
  },
  {
    number: 123,
    title: 'expiryDuration above the maximum',
    send: mode({ ...AS_SENT, expiryDuration: 601 }),
    error: named('expiryDuration'),
  },
  {
    number: 123,
    title: 'expiryDuration negative',
    send: mode({ ...AS_SENT, expiryDuration: -1 }),
    error: named('expiryDuration'),
  },
  {
    number: 123,
    title: 'expiryDuration fractional',
    send: mode({ ...AS_SENT, expiryDuration: 300.5 }),
    error: named('expiryDuration'),
  },
  {
    number: 123,
    title: 'expiryDuration a string',
    send: mode({ ...AS_SENT, expiryDuration: '300' }),
    error: named('expiryDuration'),
  },
];

function nested(depth: number): unknown {
  return depth === 0 ? {} : { a: nested(depth - 1) };
}
