import type { Address, UserOperationV06 } from '@paymaster/domain';
import type { Answered } from './load';
import { wireOperation } from './sponsored-requests';

/** A token of the benchmark and the rate that its quotes must carry. */
export interface QuotedToken {
  readonly address: Address;
  /** Token base units per 1e18 wei, without the premium. */
  readonly exchangeRate: bigint;
}

/** The request body that asks what an operation costs in these tokens, as SDKs send it. */
export function quoteRequestBody(operation: UserOperationV06, tokens: readonly QuotedToken[]): string {
  return JSON.stringify({
    method: 'pm_getFeeQuoteOrData',
    params: [
      wireOperation(operation),
      {
        mode: 'ERC20',
        calculateGasLimits: false,
        tokenInfo: { preferredToken: tokens[0]?.address, tokenList: tokens.map(({ address }) => address) },
      },
    ],
    id: 1_795_225_585,
    jsonrpc: '2.0',
  });
}

interface WireQuote {
  readonly tokenAddress: string;
  readonly maxGasFee: number;
  readonly validUntil: number;
}

/** @throws when a reply is not exactly one quote per token, in order, at the right rate to the last digit */
export function checkQuotes({ reply }: Answered, tokens: readonly QuotedToken[]): void {
  const { result } = JSON.parse(reply.body) as { result?: { feeQuotes: WireQuote[]; unsupportedTokens: unknown[] } };
  // As text: JSON.parse rounds what has more than 16 digits.
  const rates = [...reply.body.matchAll(/"exchangeRate":(\d+)/g)].map(([, rate]) => rate);
  const nowSeconds = Date.now() / 1_000;
  const right =
    reply.status === 200 &&
    result?.unsupportedTokens.length === 0 &&
    result.feeQuotes.length === tokens.length &&
    rates.length === tokens.length &&
    tokens.every(({ address, exchangeRate }, index) => {
      const quote = result.feeQuotes[index];
      const current = quote && quote.maxGasFee > 0 && quote.validUntil > nowSeconds;
      return current && quote.tokenAddress === address && rates[index] === exchangeRate.toString();
    });
  if (!right) throw new Error(`wrong reply: ${reply.status} ${reply.body.slice(0, 500)}`);
}
