import { InvalidParamsError, type Address } from '@paymaster/domain';
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
