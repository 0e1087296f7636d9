import type { Address } from '@paymaster/domain';
import type { AccountFamily } from './account-family';
import * as families from './families';

const FAMILIES: readonly AccountFamily[] = Object.values(families);

/** The validator that the account has for operations which name none. */
const DEFAULT_VALIDATOR: Address = `0x${'0'.repeat(40)}`;

/** Validators that check a signature of the account's owner, and make the account do nothing. */
export const KNOWN_VALIDATORS: ReadonlySet<Address> = new Set([
  DEFAULT_VALIDATOR,
  ...FAMILIES.flatMap(({ validators = [] }) => validators),
]);

/**
 * A nonce below names no validator in any layout: only addresses of six bytes and less, for which no key can be found. viem's
 * default key, the time in milliseconds, is one (viem 2.57 account-abstraction/accounts/toSmartAccount.ts).
 */
const FIRST_NAMING_NONCE = 1n << (64n + 48n);

const LAYOUTS = FAMILIES.flatMap(({ nonceLayout }) => nonceLayout ?? []);

/**
 * Whether a nonce asks for nothing but validation by a known validator.
 *
 * @param layout how the account reads its nonce; left out where it is not known: then one of all layouts has to fit. A
 *   known validator where one layout has it leaves no room for a chosen one where another has it: too few of the bytes
 *   there are free.
 */
export function namesKnownValidator(nonce: bigint, layout?: string): boolean {
  if (layout === undefined && nonce < FIRST_NAMING_NONCE) return true;
  const digits = nonce.toString(16).padStart(64, '0');
  return LAYOUTS.filter(({ name, isLoose }) => (layout === undefined ? !isLoose : name === layout)).some(
    ({ validatorOf }) => {
      const validator = validatorOf(digits);
      return validator !== undefined && KNOWN_VALIDATORS.has(`0x${validator}`);
    },
  );
}
