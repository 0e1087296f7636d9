import { ceilDiv } from '@paymaster/domain';
import { nativePriceUnavailable, PriceUnavailableError } from '@paymaster/pricing';
import type { ServedChain } from './served-chain';

const MICRO_USD_E36 = 10n ** 30n;

/**
 * What a whole native coin costs now, in 1e-6 USD, rounded up.
 *
 * @throws {PriceUnavailableError} when no price can be believed, or the chain has no price
 */
export function microUsdPerNative({ tokens }: Pick<ServedChain, 'tokens'>): bigint {
  if (!tokens) throw nativePriceUnavailable('NO_SOURCE');
  return ceilDiv(tokens.prices.nativeUsdE36(), MICRO_USD_E36);
}

/**
 * Like {@link microUsdPerNative}, but undefined when there is no price. Then only a policy that needs the price
 * refuses.
 */
export function microUsdPerNativeIfKnown(chain: Pick<ServedChain, 'tokens'>): bigint | undefined {
  return ifKnown(() => microUsdPerNative(chain));
}

/** USD per whole native coin, times 1e36; undefined when no price can be believed, or the chain has no price. */
export function nativeUsdE36IfKnown({ tokens }: Pick<ServedChain, 'tokens'>): bigint | undefined {
  return tokens && ifKnown(() => tokens.prices.nativeUsdE36());
}

function ifKnown(price: () => bigint): bigint | undefined {
  try {
    return price();
  } catch (error) {
    if (error instanceof PriceUnavailableError) return undefined;
    throw error;
  }
}
