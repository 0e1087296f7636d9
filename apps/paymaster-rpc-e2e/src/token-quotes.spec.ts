import { formatUnits, parseUnits } from 'viem';
import { readStack } from '@paymaster/devnet';
import { execute } from './support/call-data';
import { INCREMENT } from './support/demo-contract';
import { eventually, PATIENCE_MS } from './support/eventually';
import { addToken, freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { resultOf, type RpcAnswer } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { LIMITS } from './support/sponsor';
import { approvalOf, askQuotes, erc20, quotes, type FeeQuote, type TokenQuotes } from './support/token-mode';
import { deployToken, tokenOf } from './support/tokens';
import type { WireOperation } from './support/wire-operation';

const stack = readStack();
/** Without smartAccountInfo a signature says what kind of account it is. */
const STUB = `0x${'ff'.repeat(15)}f0${'00'.repeat(16)}7${'a'.repeat(63)}1c`;
const callData = execute({ to: stack.demoContract.address, data: INCREMENT });
const [USDX, BTCX, DAIX] = ['USDx', 'BTCx', 'DAIx'].map((symbol) => tokenOf(stack, symbol)) as [Tok, Tok, Tok];
type Tok = ReturnType<typeof tokenOf>;

/** What the local world's feeds and its price server say; see devnet/src/chain/demo-assets.ts. */
const USD = { ETH: 3187.42, USDx: 1.0002, BTCx: 96210.55, DAIx: 0.9994 };
const PREMIUM = { USDx: '10', BTCx: '7.5', DAIx: '0' };

let paymaster: FreshPaymaster;
let operation: WireOperation;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
  operation = await draftOperation(stack, await newSimpleAccount(stack, '0.6'), { callData });
});

/** Quotes for the good operation. */
const ask = (tokenInfo: object, more?: object): Promise<RpcAnswer> =>
  askQuotes({ url: paymaster.url, operation, mode: erc20(tokenInfo, more) });

async function quoteOf(token: Tok, more?: object): Promise<FeeQuote> {
  const { feeQuotes } = resultOf<TokenQuotes>(await ask({ preferredToken: token.address }, more));
  const [quote] = feeQuotes;
  if (!quote || feeQuotes.length !== 1) throw new Error(`expected one quote, got ${JSON.stringify(feeQuotes)}`);
  return quote;
}

/** How far the chain's time may be from ours, on a machine that stands still now and then. */
const CLOCK_LAG_SECONDS = 20;

/** A quote of USDx, and whether it holds that long from when it was asked for. */
async function expectToHold(seconds: number, more: object = {}): Promise<void> {
  const askedAt = Date.now() / 1_000;
  const { validUntil } = await quoteOf(USDX, more);
  expect(validUntil).toBeGreaterThan(askedAt + seconds - CLOCK_LAG_SECONDS);
  expect(validUntil).toBeLessThan(Date.now() / 1_000 + seconds + CLOCK_LAG_SECONDS);
}

describe('part A, ERC20-mode result', () => {
  it('has exactly the documented members, and mode as sent in MODE and mode', async () => {
    const answer = await ask({ preferredToken: USDX.address, tokenList: [USDX.address] });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(resultOf(answer)).toEqual({
      MODE: 'ERC20',
      mode: 'ERC20',
      paymasterAddress: expect.any(String),
      feeQuotes: [expect.any(Object)],
      unsupportedTokens: [],
    });
  });

  it.each(['0.6', '0.7', '0.8', '0.9'] as const)(
    'paymasterAddress: the paymaster of EntryPoint v%s',
    async (version) => {
      const draft = await draftOperation(stack, await newSimpleAccount(stack, version), { callData });
      const request = { url: paymaster.url, operation: draft, mode: erc20({ preferredToken: USDX.address }) };
      const { paymasterAddress } = await quotes({ ...request, entryPoint: stack.entryPoints[version] });
      expect(paymasterAddress.toLowerCase()).toBe(stack.paymasters[version].toLowerCase());
    },
  );

  it('a quote has exactly the documented fields, each with its type', async () => {
    expect(await quoteOf(USDX)).toEqual({
      symbol: 'USDx',
      decimal: 6,
      tokenAddress: expect.stringMatching(new RegExp(`^${USDX.address}$`, 'i')),
      maxGasFee: expect.any(Number),
      maxGasFeeUSD: expect.any(Number),
      exchangeRate: expect.any(Number),
      premiumPercentage: expect.any(String),
      validUntil: expect.any(Number),
      logoUrl: expect.stringMatching(/^https?:\/\/\S+$/),
    });
  });

  it('mode missing: means ERC20 when only tokenInfo is there', async () => {
    const mode = { tokenInfo: { tokenList: [] } };
    const answer = await askQuotes({ url: paymaster.url, operation: { ...operation, signature: STUB }, mode });
    expect(resultOf(answer)).toMatchObject({ MODE: 'ERC20', mode: 'ERC20' });
  });

  it('sponsorshipInfo and calculateGasLimits may be left out, as the document does', async () => {
    const mode = { mode: 'ERC20', tokenInfo: { preferredToken: USDX.address, tokenList: [USDX.address] } };
    resultOf(await askQuotes({ url: paymaster.url, operation: { ...operation, signature: STUB }, mode }));
  });
});

describe.each([USDX, BTCX, DAIX])('part A, fee quote of $symbol', (token) => {
  const symbol = token.symbol as 'USDx' | 'BTCx' | 'DAIx';
  let quote: FeeQuote;
  let text: string;

  beforeAll(async () => {
    const answer = await ask({ preferredToken: token.address });
    ({ text } = answer);
    [quote] = resultOf<TokenQuotes>(answer).feeQuotes as [FeeQuote];
  });

  it('symbol, decimal and tokenAddress are those of the token', () => {
    expect(quote).toMatchObject({ symbol, decimal: token.decimals });
    expect(quote.tokenAddress.toLowerCase()).toBe(token.address.toLowerCase());
  });

  it('exchangeRate is base units per 1e18 wei, an integer literal in the raw bytes', () => {
    const [, digits = ''] = /"exchangeRate":([^,}]+)/.exec(text) ?? [];
    expect(digits).toMatch(/^[1-9][0-9]*$/);
    const wholeTokens = Number(formatUnits(BigInt(digits), token.decimals));
    expect(wholeTokens).toBeCloseTo(USD.ETH / USD[symbol], 4);
  });

  it('premiumPercentage is numeric text', () => {
    expect(quote.premiumPercentage).toBe(PREMIUM[symbol]);
  });

  it('maxGasFee holds the premium and is worth maxGasFeeUSD', () => {
    expect(quote.maxGasFee).toBeGreaterThan(0);
    expect(quote.maxGasFeeUSD / (quote.maxGasFee * USD[symbol])).toBeCloseTo(1, 1);
  });

  it('validUntil is in unix seconds', () => {
    // A machine that stands still makes it older, not younger.
    expect(quote.validUntil).toBeLessThan(Date.now() / 1_000 + 300 + CLOCK_LAG_SECONDS);
    expect(quote.validUntil).toBeGreaterThan(Date.now() / 1_000);
  });
});

describe('part A, maxGasFee', () => {
  it('covers gas, fee, rate and premium of the limits that were sent', async () => {
    const limits = { ...LIMITS, maxFeePerGas: operation.maxFeePerGas };
    const answer = await askQuotes({
      url: paymaster.url,
      operation: { ...operation, ...LIMITS },
      mode: erc20({ preferredToken: DAIX.address }, { calculateGasLimits: false }),
    });
    const [quote] = resultOf<TokenQuotes>(answer).feeQuotes as [FeeQuote];
    const gas =
      BigInt(limits.callGasLimit) + 3n * BigInt(limits.verificationGasLimit) + BigInt(limits.preVerificationGas);
    const costWei = gas * BigInt(limits.maxFeePerGas);
    // DAIx has no premium; what lies above is head-room for the approve and the postOp of the token.
    const least = (costWei * parseUnits('3187.42', 18)) / parseUnits('0.9994', 18);
    expect(approvalOf(quote)).toBeGreaterThanOrEqual(least);
    expect(approvalOf(quote)).toBeLessThan(least * 2n);
  });

  it('is estimated anew when limits are dummies, as SDK 3.x sends them', async () => {
    const dummies = { callGasLimit: '800000', verificationGasLimit: '1000000', preVerificationGas: '100000' };
    const request = { url: paymaster.url, mode: erc20({ preferredToken: DAIX.address }) };
    const [honest] = (await quotes({ ...request, operation })).feeQuotes as [FeeQuote];
    const [dummy] = (await quotes({ ...request, operation: { ...operation, ...dummies } })).feeQuotes as [FeeQuote];
    expect(dummy.maxGasFee / honest.maxGasFee).toBeCloseTo(1, 1);
  });

  it('charges each token for the same gas', async () => {
    const { feeQuotes } = resultOf<TokenQuotes>(await ask({ tokenList: [] }));
    const withoutPremium = feeQuotes.map(
      ({ maxGasFeeUSD, premiumPercentage }) => maxGasFeeUSD / (1 + Number(premiumPercentage) / 100),
    );
    expect(Math.max(...withoutPremium) / Math.min(...withoutPremium)).toBeLessThan(1.05);
  });
});

describe('part A, exchangeRate of 24 digits', () => {
  it('keeps every digit in the raw bytes', async () => {
    const cheap = await deployToken(stack, { symbol: 'CHEAP', decimals: 18 });
    await addToken(stack, paymaster.apiKey, { address: cheap.address, price: { fixedUsd: '0.01' } });
    // The price of a new token is read in the background, soon after it was asked for first.
    await eventually(PATIENCE_MS, async () => {
      const { text } = await ask({ preferredToken: cheap.address });
      // 3187.42 / 0.01 whole tokens per coin, times 10^18.
      expect(text).toContain('"exchangeRate":318742000000000000000000,');
    });
  });
});

describe('part A, expiryDuration', () => {
  it.each([120, 600])('%d seconds are obeyed', async (expiryDuration) => {
    await expectToHold(expiryDuration, { expiryDuration });
  });

  it('0 means the default, which is 300', async () => {
    await expectToHold(300, { expiryDuration: 0 });
    await expectToHold(300);
  });

  it('never more than 600 seconds in token mode', async () => {
    const answer = await ask({ preferredToken: USDX.address }, { expiryDuration: 6_000 });
    // Existing 0.7 clients ask for 6,000: less is given, or the field is named.
    if (answer.body.error) return expect(answer.body.error.message).toMatch(/expiryDuration/);
    const [quote] = resultOf<TokenQuotes>(answer).feeQuotes as [FeeQuote];
    expect(quote.validUntil - Date.now() / 1_000).toBeLessThan(600 + CLOCK_LAG_SECONDS);
  });
});
