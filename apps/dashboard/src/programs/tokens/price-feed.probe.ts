import { CallRevertedError, type ChainProvider } from '@paymaster/chain';
import { isHexBytes, type Address, type Hex } from '@paymaster/domain';
import { toUsdE36 } from '@paymaster/pricing';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';

/** More than a price can be read with (libs/pricing). */
const MAX_FEED_DECIMALS = 36n;

/** More than any feed needs: a hostile one cannot keep a node busy. */
const FEED_VIEW_GAS = 500_000n;

const DECIMALS = { name: 'decimals()', selector: '0x313ce567', words: 1 } as const;
const LATEST_ROUND_DATA = { name: 'latestRoundData()', selector: '0xfeaf968c', words: 5 } as const;

interface NamedFeed {
  readonly address: Address;
  /** Its place in the request, for errors. */
  readonly field: string;
}

/**
 * The answer of a feed of Chainlink's shape (AggregatorV3Interface), in its unit times 1e36. Whether it is fresh enough
 * is asked with every quote, not here.
 *
 * @throws {InvalidBodyError} saying what the contract does instead
 * @throws {DependencyUnavailableError} `chain`
 */
export async function readPriceFeed(reader: Pick<ChainProvider, 'ethCall'>, feed: NamedFeed): Promise<bigint> {
  const [decimals = 0n] = await ask(reader, feed, DECIMALS);
  if (decimals > MAX_FEED_DECIMALS) throw noFeed(feed, `has ${decimals} decimals, more than ${MAX_FEED_DECIMALS}`);
  const [, answer = 0n, , updatedAt = 0n] = await ask(reader, feed, LATEST_ROUND_DATA);
  if (updatedAt === 0n) throw noFeed(feed, 'has not answered yet');
  if (BigInt.asIntN(256, answer) <= 0n) throw noFeed(feed, 'answers a price that is not above zero');
  return toUsdE36(answer, Number(decimals));
}

/** The words are looked at here and not by the provider, which would take a wrong contract for a broken node. */
async function ask(
  reader: Pick<ChainProvider, 'ethCall'>,
  feed: NamedFeed,
  { name, selector, words }: { name: string; selector: Hex; words: number },
): Promise<bigint[]> {
  const returned = await reader
    .ethCall({ to: feed.address, data: selector, gas: FEED_VIEW_GAS }, parseHex)
    .catch((error: unknown) => {
      if (error instanceof CallRevertedError) return '0x' as const;
      throw error;
    });
  if (returned.length !== 2 + words * 64) throw noFeed(feed, `does not answer ${name}`);
  return Array.from({ length: words }, (_, index) => BigInt(`0x${returned.slice(2 + index * 64, 66 + index * 64)}`));
}

function parseHex(returned: unknown): Hex {
  if (!isHexBytes(returned)) throw new TypeError('eth_call did not return bytes');
  return returned;
}

function noFeed({ field }: NamedFeed, problem: string): InvalidBodyError {
  return new InvalidBodyError(`${field}: address is no price feed: it ${problem}`);
}
