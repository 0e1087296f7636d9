import type { ChainProvider } from '@paymaster/chain';
import {
  PRICE_SOURCES,
  sourcesOf,
  type PriceReference,
  type PriceSourceDeclaration,
  type TokenListing,
} from '@paymaster/domain';
import { formatUsd, parseUsdE36 } from '@paymaster/pricing';
import { InvalidBodyError, TokenUnfitError } from '../../platform/http/dashboard-errors';
import { readPriceFeed } from './price-feed.probe';

/** What a usual operation takes: a call of an account, its validation, and its share of the bundle. */
const ORDINARY_OPERATION_GAS = 200_000n;
/** A tenth of a cent: users do not notice it, even where gas costs nothing at the moment. In USD times 1e36. */
const UNNOTICED_USD_E36 = 10n ** 33n;
const WEI_PER_COIN = 10n ** 18n;
const E36 = 10n ** 36n;

type Reads = Pick<ChainProvider, 'ethCall' | 'ask'>;

/**
 * Refuses a token of which the least amount that can be paid is worth more than an ordinary operation costs on its chain
 * now: users would pay for several operations with each. Where a price is known to the HTTP API only, nothing is
 * refused. A feed that is named has to answer.
 *
 * @throws {TokenUnfitError} with both amounts
 * @throws {InvalidBodyError} when a feed of the token is none
 * @throws {DependencyUnavailableError} `chain`
 */
export async function assertUnitIsSmall(
  reads: Reads,
  {
    symbol,
    decimals,
    price,
    native,
  }: Pick<TokenListing, 'symbol' | 'decimals' | 'price'> & { readonly native: PriceReference },
): Promise<void> {
  const coin = () => knownUsdE36(reads, native).catch(orUnknown);
  const tokenUsdE36 = await knownUsdE36(reads, price, coin);
  const unitUsdE36 = (tokenUsdE36 ?? 0n) / 10n ** BigInt(decimals);
  if (unitUsdE36 <= UNNOTICED_USD_E36) return;
  const coinUsdE36 = await coin();
  if (coinUsdE36 === undefined) return;
  const gasPriceWei = await reads.ask('eth_gasPrice', [], (value) => BigInt(value as string));
  const operationUsdE36 = (ORDINARY_OPERATION_GAS * gasPriceWei * coinUsdE36) / WEI_PER_COIN;
  if (unitUsdE36 <= operationUsdE36) return;
  throw new TokenUnfitError(
    `address: one base unit of ${symbol}, which has ${decimals} decimals, is worth ${formatUsd(unitUsdE36)} USD: more ` +
      `than an operation of ${ORDINARY_OPERATION_GAS} gas costs on this chain now, ${formatUsd(operationUsdE36)} USD`,
  );
}

/** The owner of a token is not told what is wrong with the operator's feed. */
function orUnknown(error: unknown): undefined {
  if (!(error instanceof InvalidBodyError)) throw error;
}

/** USD of a whole unit times 1e36; undefined where neither a feed nor agreement says it. */
async function knownUsdE36(
  reads: Reads,
  price: PriceReference,
  coinUsdE36?: () => Promise<bigint | undefined>,
): Promise<bigint | undefined> {
  const { usd, coin } = await answersOfFeeds(reads, price);
  if (usd !== undefined) return usd;
  if (price.fixedUsd !== null) return parseUsdE36(price.fixedUsd);
  const perCoinE36 = coin === undefined ? undefined : await coinUsdE36?.();
  return perCoinE36 === undefined ? undefined : ((coin ?? 0n) * perCoinE36) / E36;
}

/** What the feeds that a price names answer, by their units. */
async function answersOfFeeds(reads: Reads, price: PriceReference): Promise<{ usd?: bigint; coin?: bigint }> {
  const answers: { usd?: bigint; coin?: bigint } = {};
  for (const name of sourcesOf(price)) {
    const declared: PriceSourceDeclaration = PRICE_SOURCES[name];
    const named = price[name];
    if (declared.kind !== 'feed' || named === null || typeof named === 'string') continue;
    answers[declared.unit] = await readPriceFeed(reads, { address: named.address, field: `price.${name}` });
  }
  return answers;
}
