import { RefusalError } from '@paymaster/domain';
import type { UnavailableToken } from './price-each';
import type { TokenRate } from '@paymaster/pricing';
import type { SupportedToken } from '../../chains/token-registry';

/** A supported token with its price of now. */
export interface RatedToken {
  readonly token: SupportedToken;
  readonly rate: TokenRate;
}

/**
 * Leaves out tokens in which the operation costs more than is allowed or covered; the other tokens are still quoted. A
 * cost above a refused cost is not checked again.
 *
 * @param assertAffordable throws where a cost is too high; wei
 * @throws what it threw for the cheapest token, when even that is too dear
 */
export async function affordEach(
  tokens: readonly RatedToken[],
  {
    costOf,
    assertAffordable,
  }: { costOf: (token: RatedToken) => bigint; assertAffordable: (costWei: bigint) => Promise<void> },
): Promise<{ readonly affordable: readonly RatedToken[]; readonly unavailable: readonly UnavailableToken[] }> {
  const costs = [...new Set(tokens.map(costOf))].sort((a, b) => (a < b ? -1 : 1));
  for (const [index, costWei] of costs.entries()) {
    try {
      await assertAffordable(costWei);
    } catch (error) {
      if (index === 0 || !(error instanceof RefusalError)) throw error;
      const tooDear = (token: RatedToken): boolean => costOf(token) >= costWei;
      return {
        affordable: tokens.filter((token) => !tooDear(token)),
        unavailable: tokens
          .filter(tooDear)
          .map(({ token }) => ({ token: token.listing.address, reason: error.reason })),
      };
    }
  }
  return { affordable: tokens, unavailable: [] };
}
