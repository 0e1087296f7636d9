import { toPriceReference, type TokenListing } from '@paymaster/domain';
import { toPremiumMillionths } from './premium';
import type { RegisterTokenDto, UpdateTokenDto } from './token.dto';

/** What the owner decides of a token. */
export type TokenTerms = Pick<
  TokenListing,
  'price' | 'premiumMillionths' | 'exposureCapWei' | 'chargingWays' | 'logoUrl'
>;

/** The terms that were sent, as the domain has them; nothing for what was left out. */
export function termsOf(request: RegisterTokenDto): Partial<TokenTerms> & Pick<TokenTerms, 'price'>;
export function termsOf(request: UpdateTokenDto): Partial<TokenTerms>;
export function termsOf(request: UpdateTokenDto): Partial<TokenTerms> {
  const { price, premiumPercentage, exposureCapWei, chargingWays, logoUrl } = request;
  return {
    ...(price && { price: toPriceReference(price) }),
    ...(premiumPercentage !== undefined && { premiumMillionths: toPremiumMillionths(premiumPercentage) }),
    ...(exposureCapWei !== undefined && { exposureCapWei: exposureCapWei === null ? null : BigInt(exposureCapWei) }),
    ...(chargingWays && { chargingWays }),
    ...(logoUrl !== undefined && { logoUrl }),
  };
}
