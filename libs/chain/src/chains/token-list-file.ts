import {
  DEFAULT_TOKEN_TRANSFER_GAS,
  LOGO_URL_PATTERN,
  MAX_TOKEN_DECIMALS,
  NATIVE_PSEUDO_ADDRESS,
  normalizeAddress,
  readWritten,
  sourcesOf,
  standardsOf,
  TOKEN_TERMS,
  toPriceReference,
  ZERO_ADDRESS,
  type TokenListing,
} from '@paymaster/domain';
import { isPresentableSymbol } from '../json-rpc/token-answers';
import { findWrongChecksum, WRONG_CHECKSUM } from './checksum';
import { ChainsFileError, describeSchemaError, readJsonFile } from './config-file';
import { isRawTokenList, type RawToken, type RawTokenTerms } from './token-list-schema';

/** More tokens would not fit into one answer, nor be priced in the background at a reasonable pace. */
export const MAX_TOKENS_PER_CHAIN = 200;

/**
 * Reads a token list in Uniswap's format and takes those entries of one chain that have `extensions.paymaster`.
 *
 * @param minSources price sources that each token must name
 * @throws {ChainsFileError} naming the file and the field
 */
export function loadTokenList(path: string, chain: { chainId: number; minSources: number }): readonly TokenListing[] {
  return parseTokenList(readJsonFile(path), { ...chain, path });
}

/** The same for a parsed value; `path` only names it in errors. */
export function parseTokenList(
  raw: unknown,
  { chainId, minSources, path }: { chainId: number; minSources: number; path: string },
): readonly TokenListing[] {
  if (!isRawTokenList(raw)) throw new ChainsFileError(path, describeSchemaError(isRawTokenList.errors?.[0]));
  const listings: TokenListing[] = [];
  raw.tokens.forEach((token, index) => {
    const terms = token.extensions?.paymaster;
    if (!terms || token.chainId !== chainId) return;
    const mistyped = findWrongChecksum(token);
    if (mistyped !== undefined) throw new ChainsFileError(path, `tokens.${index}.${mistyped} ${WRONG_CHECKSUM}`);
    const listing = toListing(token, terms);
    const problem = problemOf(listing, { others: listings, minSources });
    if (problem) throw new ChainsFileError(path, `tokens.${index}.${problem}`);
    listings.push(listing);
  });
  if (listings.length > MAX_TOKENS_PER_CHAIN)
    throw new ChainsFileError(
      path,
      `tokens are ${listings.length} on chain ${chainId}, more than ${MAX_TOKENS_PER_CHAIN}`,
    );
  return listings;
}

function toListing(token: RawToken, terms: RawTokenTerms): TokenListing {
  return {
    address: normalizeAddress(token.address),
    symbol: token.symbol,
    decimals: token.decimals,
    price: toPriceReference(terms.price),
    ...{ ...standardsOf(TOKEN_TERMS), ...readWritten(TOKEN_TERMS, terms) },
    // Lists also name `ipfs:` logos, which browsers do not load.
    logoUrl: token.logoURI !== undefined && LOGO_URL_PATTERN.test(token.logoURI) ? token.logoURI : null,
    transferGas: terms.transferGas ?? DEFAULT_TOKEN_TRANSFER_GAS,
  };
}

/** Problems that no schema finds, as `field problem`. */
function problemOf(
  { address, symbol, decimals, price }: TokenListing,
  { others, minSources }: { others: readonly TokenListing[]; minSources: number },
): string | undefined {
  if (address === ZERO_ADDRESS || address === NATIVE_PSEUDO_ADDRESS)
    return `address ${address} stands for the native coin, which is no token`;
  if (others.some((other) => other.address === address)) return `address ${address} is listed twice`;
  if (decimals > MAX_TOKEN_DECIMALS) return `decimals ${decimals} are more than ${MAX_TOKEN_DECIMALS}`;
  if (!isPresentableSymbol(symbol)) return 'symbol is not 1 to 32 printable characters, left to right, without markup';
  const named = sourcesOf(price).length;
  if (named < minSources)
    return `extensions.paymaster.price names ${named} of ${minSources} sources (pricing.minSources)`;
  return undefined;
}
