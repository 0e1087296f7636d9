import type { Hex } from '@paymaster/domain';
import { encodeSponsorData } from './encode-sponsor-data';
import { encodeTokenData } from './encode-token-data';
import type { SponsorFields } from './sponsor-fields';
import type { TokenFields } from './token-fields';

/**
 * Well-formed (low s, v 28, an `r` that recovers, no zero byte) and of no known signer, so validation runs the whole
 * path and sets SIG_FAILED. A shorter path would be estimated too low (docs/architecture/paymaster-data.md).
 */
export const STUB_SIGNATURE: Hex = `0x${'ab'.repeat(32)}7a${'aa'.repeat(31)}1c`;

/** The largest time that a 47-bit `validUntil` can hold: it has no zero byte and never expires. */
export const STUB_VALID_UNTIL_SECONDS = 0x7fffffffffff;

/** 14 November 2023: in the past on every chain, and no more zero bytes than any later time. */
export const STUB_VALID_AFTER_SECONDS = 0x65555555;

/** The fields of the stub: the final ones, with times that never cost less call data. */
export function stubSponsorFields(
  fields: Pick<SponsorFields, 'fundingWallet' | 'feeMarkupMillionths' | 'unaccountedGas'>,
): SponsorFields {
  return {
    fundingWallet: fields.fundingWallet,
    feeMarkupMillionths: fields.feeMarkupMillionths,
    unaccountedGas: fields.unaccountedGas,
    validUntilSeconds: STUB_VALID_UNTIL_SECONDS,
    validAfterSeconds: STUB_VALID_AFTER_SECONDS,
  };
}

/** `paymasterData` for estimation and for `pm_getPaymasterStubData`: the final's length, never fewer non-zero bytes. */
export function encodeStubSponsorData(
  fields: Pick<SponsorFields, 'fundingWallet' | 'feeMarkupMillionths' | 'unaccountedGas'>,
): Hex {
  return encodeSponsorData(stubSponsorFields(fields), STUB_SIGNATURE);
}

/** The most that fits 24 bytes: no zero byte, and never below what an operation costs. */
const STUB_MAX_TOKEN_CHARGE_BASE_UNITS = (1n << 192n) - 1n;

/** Fields that the token stub shares with the final data. */
export type StubTokenFields = Pick<
  TokenFields,
  | 'fundingWallet'
  | 'feeMarkupMillionths'
  | 'unaccountedGas'
  | 'token'
  | 'exchangeRate'
  | 'premiumMillionths'
  | 'feeReceiver'
  | 'gasPercent'
>;

/**
 * The same for token mode, always of way `batchApproval`: its validation touches no token, so it can be estimated
 * before there is an allowance. It is 129 bytes shorter than final data with a permit.
 */
export function encodeStubTokenData(fields: StubTokenFields): Hex {
  const { token, exchangeRate, premiumMillionths, feeReceiver, gasPercent } = fields;
  return encodeTokenData(
    {
      ...stubSponsorFields(fields),
      way: 'batchApproval',
      gasPercent,
      token,
      exchangeRate,
      premiumMillionths,
      feeReceiver,
      maxTokenChargeBaseUnits: STUB_MAX_TOKEN_CHARGE_BASE_UNITS,
    },
    STUB_SIGNATURE,
  );
}
