import { InvalidParamsError, type Address } from '@paymaster/domain';
import { PriceUnavailableError, type PriceFault } from '@paymaster/pricing';
import { batchApprovalIsOff } from './token-refusals';
import type { SupportedToken, TokenRegistry } from '../../chains/token-registry';

/**
 * @throws {InvalidParamsError} TOKEN_NOT_SUPPORTED, naming the field and the token
 * @throws {SponsorshipRefusedError} TOKEN_WAY_NOT_AVAILABLE for a token whose only way has to be turned on
 */
export function supportedToken(
  { byAddress, withoutWay }: TokenRegistry,
  address: Address,
  field: string,
): SupportedToken {
  const token = byAddress.get(address);
  if (token) return token;
  const lacking = withoutWay.get(address);
  if (lacking) throw batchApprovalIsOff(lacking);
  throw new InvalidParamsError(field, `Token ${address} is not supported.`, 'TOKEN_NOT_SUPPORTED');
}

/** Faults that do not end by themselves, because the token's listing, its feed or its id at the price API is wrong. */
const FOR_GOOD: ReadonlySet<PriceFault> = new Set<PriceFault>([
  'API_ID_UNKNOWN',
  'WRONG_DECIMALS',
  'RATE_OUT_OF_RANGE',
]);

/**
 * The outcome of a payment in one token. A token that cannot have a price is answered as not supported. If it were
 * answered as unavailable, clients would send the same request again and again.
 *
 * @param token and the field that names it, for errors
 * @throws {InvalidParamsError} TOKEN_NOT_SUPPORTED
 */
export async function payableIn<T>(token: { address: Address; field: string }, payment: Promise<T>): Promise<T> {
  try {
    return await payment;
  } catch (error) {
    if (!(error instanceof PriceUnavailableError) || !FOR_GOOD.has(error.fault)) throw error;
    const message = `Token ${token.address} is not supported: it has no price that can be right (${error.fault}).`;
    throw new InvalidParamsError(token.field, message, 'TOKEN_NOT_SUPPORTED');
  }
}
