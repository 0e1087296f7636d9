import type { Hex } from '@paymaster/domain';
import { call, resultOf, type RpcAnswer, type SponsoredResult } from './json-rpc';
import type { WireOperation } from './wire-operation';
import { withSponsorship } from './sponsor';

/** One entry of `feeQuotes` (service-interface, "Fee quote"). */
export interface FeeQuote {
  readonly symbol: string;
  readonly decimal: number;
  readonly tokenAddress: Hex;
  readonly maxGasFee: number;
  readonly maxGasFeeUSD: number;
  readonly exchangeRate: number;
  readonly premiumPercentage: string;
  readonly validUntil: number;
  readonly logoUrl: string;
}

/** `result` of `pm_getFeeQuoteOrData` in ERC20 mode. */
export interface TokenQuotes {
  readonly MODE: string;
  readonly mode: string;
  readonly paymasterAddress: Hex;
  readonly feeQuotes: readonly FeeQuote[];
  readonly unsupportedTokens: readonly string[];
}

/** What SDKs send beside `tokenInfo`, in ERC20 mode too. */
export const SPONSORSHIP_INFO = { smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } };

/** The mode object as SDKs send it. */
export function erc20(tokenInfo: object, more: object = {}): Record<string, unknown> {
  return { mode: 'ERC20', calculateGasLimits: true, tokenInfo, sponsorshipInfo: SPONSORSHIP_INFO, ...more };
}

export interface TokenRequest {
  readonly url: string;
  readonly operation: unknown;
  /** The mode object; see `erc20`. */
  readonly mode: unknown;
  /** Told as the second of three parameters, where the operation alone does not say its EntryPoint. */
  readonly entryPoint?: Hex;
}

/** Asks for fee quotes. */
export function askQuotes({ url, operation, mode, entryPoint }: TokenRequest): Promise<RpcAnswer> {
  const params = entryPoint ? [operation, entryPoint, mode] : [operation, mode];
  return call({ url, method: 'pm_getFeeQuoteOrData', params });
}

/** The quotes of an answer that has to hold some. @throws with the error's text */
export async function quotes(request: TokenRequest): Promise<TokenQuotes> {
  return resultOf<TokenQuotes>(await askQuotes(request));
}

/** The final call. */
export function askTokenPaid({ url, operation, mode, entryPoint }: TokenRequest): Promise<RpcAnswer> {
  const params = entryPoint ? [operation, entryPoint, mode] : [operation, mode];
  return call({ url, method: 'pm_sponsorUserOperation', params });
}

/** The final call, its answer put into the operation, as an SDK does before it signs. */
export async function tokenPaid(request: TokenRequest & { operation: WireOperation }): Promise<WireOperation> {
  return withSponsorship(request.operation, resultOf<SponsoredResult>(await askTokenPaid(request)));
}

/** What SDKs approve for a quote: 3.x and 4.x compute exactly this. Base units. */
export function approvalOf({ maxGasFee, decimal }: FeeQuote): bigint {
  return BigInt(Math.ceil(maxGasFee * 10 ** decimal));
}
