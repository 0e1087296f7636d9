import type { Address } from './hex';
import { ceilDiv } from './money';

/** How a sender pays in token mode (docs/architecture/token-mode.md). */
export const CHARGING_WAYS = ['allowance', 'permit', 'batchApproval'] as const;
export type ChargingWay = (typeof CHARGING_WAYS)[number];

/** Which operations of a paymaster may be paid in tokens: any, those its whitelist allows, or none. */
export const TOKEN_MODES = ['anyCall', 'whitelistedCalls', 'off'] as const;
export type TokenMode = (typeof TOKEN_MODES)[number];

/** What wallets write for the native coin where a token address is asked for. It is no token. */
export const NATIVE_PSEUDO_ADDRESS: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

/** A token with more decimals can't be priced with the precision the contract has. */
export const MAX_TOKEN_DECIMALS = 36;

/** Gas that one transfer of a token may use, where nothing else was measured; covers proxies and first receipts. */
export const DEFAULT_TOKEN_TRANSFER_GAS = 65_000;

/** `premium` as it is signed: 1_000_000 for none. */
export const PREMIUM_DENOMINATOR = 1_000_000n;
const WEI_PER_NATIVE = 10n ** 18n;

/**
 * What the contract takes for `costWei`, in token base units, rounded up:
 * `ceil(wei * premium * exchangeRate / (1e6 * 1e18))`.
 *
 * @param exchangeRate token base units per 1e18 wei, without the premium
 * @param premiumMillionths 1_000_000 for none
 * @see docs/architecture/paymaster-data.md, "In tokens". Proven equal to the contract by the encoder test.
 */
export function tokenChargeBaseUnits(input: {
  costWei: bigint;
  exchangeRate: bigint;
  premiumMillionths: bigint;
}): bigint {
  const product = input.costWei * input.premiumMillionths * input.exchangeRate;
  return ceilDiv(product, PREMIUM_DENOMINATOR * WEI_PER_NATIVE);
}
