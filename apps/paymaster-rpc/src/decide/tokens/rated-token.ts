import type { TokenRate } from '@paymaster/pricing';
import type { SupportedToken } from '../../chains/token-registry';

/** A supported token with its price of now. */
export interface RatedToken {
  readonly token: SupportedToken;
  readonly rate: TokenRate;
}
