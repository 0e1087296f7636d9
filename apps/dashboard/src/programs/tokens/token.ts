import type { TokenListing } from '@paymaster/domain';

/** A token that a paymaster takes beside, or in another way than, its chain's own. */
export interface Token extends TokenListing {
  readonly id: string;
  readonly paymasterId: string;
}
