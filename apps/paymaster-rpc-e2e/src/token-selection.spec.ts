import { NATIVE_PSEUDO_ADDRESS } from '@paymaster/domain';
import { readStack } from '@paymaster/devnet';
import { execute } from './support/call-data';
import { INCREMENT } from './support/demo-contract';
import { expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { resultOf, type RpcAnswer } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { askQuotes, askTokenPaid, erc20, SPONSORSHIP_INFO, type TokenQuotes } from './support/token-mode';
import { tokenOf } from './support/tokens';
import type { WireOperation } from './support/wire-operation';

const stack = readStack();
const [USDX, BTCX, DAIX] = ['USDx', 'BTCx', 'DAIx'].map((symbol) => tokenOf(stack, symbol).address) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
/** USDC of another chain: no contract here. */
const ELSEWHERE = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const UNKNOWN = '0xeabc4b91d9375796aa4f69cc764a4ab509080a58';
const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`;

/** It takes some; the rest is for a machine that stands still now and then. */
const IN_TIME_MS = 9_000;

let paymaster: FreshPaymaster;
let operation: WireOperation;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
  const callData = execute({ to: stack.demoContract.address, data: INCREMENT });
  operation = await draftOperation(stack, await newSimpleAccount(stack, '0.6'), { callData });
});

const ask = (tokenInfo: object): Promise<RpcAnswer> =>
  askQuotes({ url: paymaster.url, operation, mode: erc20(tokenInfo) });

interface Chosen {
  readonly quoted: readonly string[];
  readonly unsupported: readonly string[];
}

/** Which tokens were quoted, in order, and which were not. */
async function chosen(tokenInfo: object): Promise<Chosen> {
  const { feeQuotes, unsupportedTokens } = resultOf<TokenQuotes>(await ask(tokenInfo));
  return { quoted: feeQuotes.map(({ symbol }) => symbol), unsupported: unsupportedTokens };
}

const ALL = ['BTCx', 'DAIx', 'USDx'];

describe('part A, tokenInfo', () => {
  it('mandatory: missing, it is named', async () => {
    const mode = { mode: 'ERC20', calculateGasLimits: true, sponsorshipInfo: SPONSORSHIP_INFO };
    expectRpcError(await askQuotes({ url: paymaster.url, operation, mode }), { code: -32602, message: /tokenInfo/ });
    expectRpcError(await askTokenPaid({ url: paymaster.url, operation, mode }), { code: -32602, message: /tokenInfo/ });
  });

  it.each([
    ['an empty tokenList', { tokenList: [] }],
    ['no tokenList', {}],
  ])('%s and no preferredToken: every supported token', async (_title, tokenInfo) => {
    const { quoted, unsupported } = await chosen(tokenInfo);
    expect([...quoted].sort()).toEqual(ALL);
    expect(unsupported).toEqual([]);
  });

  it('preferredToken alone: that one', async () => {
    expect(await chosen({ preferredToken: BTCX })).toEqual({ quoted: ['BTCx'], unsupported: [] });
    expect(await chosen({ preferredToken: BTCX, tokenList: [] })).toEqual({ quoted: ['BTCx'], unsupported: [] });
  });

  it('tokenList alone: those, in its order', async () => {
    expect((await chosen({ tokenList: [DAIX, USDX] })).quoted).toEqual(['DAIx', 'USDx']);
    expect((await chosen({ tokenList: [USDX, DAIX, BTCX] })).quoted).toEqual(['USDx', 'DAIx', 'BTCx']);
  });

  it('preferredToken comes first, then tokenList in its order', async () => {
    expect((await chosen({ preferredToken: BTCX, tokenList: [DAIX, USDX] })).quoted).toEqual(['BTCx', 'DAIx', 'USDx']);
    expect((await chosen({ preferredToken: BTCX, tokenList: [DAIX, BTCX] })).quoted).toEqual(['BTCx', 'DAIx']);
  });

  it('duplicates, in any case, count once', async () => {
    const tokenList = [USDX.toLowerCase(), upper(USDX), DAIX, USDX, upper(BTCX)];
    expect(await chosen({ preferredToken: upper(BTCX), tokenList })).toEqual({
      quoted: ['BTCx', 'USDx', 'DAIx'],
      unsupported: [],
    });
  });

  it('both fields with an unsupported token: it is listed in lower case, the others are quoted', async () => {
    expect(await chosen({ preferredToken: USDX, tokenList: [upper(UNKNOWN), DAIX] })).toEqual({
      quoted: ['USDx', 'DAIx'],
      unsupported: [UNKNOWN],
    });
    expect(await chosen({ preferredToken: UNKNOWN, tokenList: [UNKNOWN, upper(UNKNOWN), DAIX] })).toEqual({
      quoted: ['DAIx'],
      unsupported: [UNKNOWN],
    });
  });

  it('all unsupported: no quote, and every one listed', async () => {
    expect(await chosen({ preferredToken: UNKNOWN, tokenList: [ELSEWHERE] })).toEqual({
      quoted: [],
      unsupported: [UNKNOWN, ELSEWHERE.toLowerCase()],
    });
  });

  it.each([
    ['of another chain', ELSEWHERE],
    ['without code', '0x00000000000000000000000000000000000000aa'],
    ['at the zero address', `0x${'0'.repeat(40)}`],
    ['that is the native pseudo-address', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'],
  ])('a token %s is unsupported', async (_title, token) => {
    expect(await chosen({ preferredToken: USDX, tokenList: [token] })).toEqual({
      quoted: ['USDx'],
      unsupported: [token.toLowerCase()],
    });
  });

  it.each([
    ['preferredToken', { preferredToken: '0x12' }],
    ['tokenList', { tokenList: ['not an address'] }],
    ['tokenList', { tokenList: USDX }],
    ['tokenList', { tokenList: [7] }],
  ])('%s of another shape is named', async (field, tokenInfo) => {
    expectRpcError(await ask(tokenInfo), { code: -32602, message: new RegExp(field) });
  });

  it('a tokenList of 5,000 entries is answered in time', async () => {
    const tokenList = Array.from({ length: 5_000 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`);
    const answer = await ask({ tokenList });
    expect(answer.elapsedMs).toBeLessThan(IN_TIME_MS);
    expectRpcError(answer, { code: -32602, message: /tokenList/ });
  });

  it('a tokenList of 10,000 entries is too large a body', async () => {
    const tokenList = Array.from({ length: 10_000 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`);
    const answer = await ask({ tokenList });
    expect(answer.elapsedMs).toBeLessThan(IN_TIME_MS);
    expectRpcError(answer, { code: -32600, http: 413 });
  });
});

describe('part A, the fee token of the final call', () => {
  const final = (tokenInfo: object) => askTokenPaid({ url: paymaster.url, operation, mode: erc20(tokenInfo) });

  it.each([
    ['unknown', UNKNOWN],
    ['of another chain', ELSEWHERE],
    ['the native pseudo-address', NATIVE_PSEUDO_ADDRESS],
  ])('%s: refused, naming it', async (_title, token) => {
    const answer = await final({ feeTokenAddress: token });
    expectRpcError(answer, { code: -32602, message: new RegExp(token, 'i') });
  });

  it.each([
    ['none', {}],
    ['several', { tokenList: [USDX, DAIX] }],
    ['an empty list', { tokenList: [] }],
  ])('%s named: refused, saying which field', async (_title, tokenInfo) => {
    expectRpcError(await final(tokenInfo), { code: -32602, message: /feeTokenAddress/ });
  });

  // The account owns no token, which is the first thing that is wrong with a token that is understood.
  it.each([
    ['feeTokenAddress', { feeTokenAddress: USDX, preferredToken: UNKNOWN, tokenList: [UNKNOWN] }],
    ['else preferredToken', { preferredToken: upper(USDX), tokenList: [UNKNOWN, DAIX] }],
    ['else a tokenList of exactly one', { tokenList: [USDX] }],
    ['also when that one is named twice', { tokenList: [USDX, upper(USDX)] }],
  ])('is %s', async (_title, tokenInfo) => {
    expectRpcError(await final(tokenInfo), { code: -32501, message: /account does not have enough token balance/ });
  });
});
