import { paymasterDataBytes, SPONSOR_DATA_BYTES, type TokenGasTerms } from '@paymaster/chain';
import { ceilDiv, type AccountGasLimits, type ChargingWay, type Hex, type UserOperation } from '@paymaster/domain';
import { gasReference } from './gas-reference';

/**
 * The gas of an `approve` that a client puts in front of its call after the quote. The account's `execute` then becomes
 * `executeBatch`.
 *
 * approve-head-room.integration.spec.ts measures it with SimpleAccount of v0.6, v0.7 and v0.8, cold slots and no
 * earlier approval: 28,000 to 30,000 gas for a plain token, and 33,000 to 35,000 for a token behind a proxy. A token
 * like USDC takes 10,000 more, because it also reads a pause and three lists of blocked accounts. The call data grows
 * by 290 to 420 bytes, which cost 2,200 to 2,700 gas, or 6,700 if EIP-7623's floor applies.
 */
export const APPROVE_HEADROOM = { callGas: 60_000n, preVerificationGas: 8_000n } as const;

/** The gas that token mode adds to the estimate of the sponsored operation. */
export interface TokenEstimation {
  readonly way: ChargingWay;
  readonly terms: TokenGasTerms;
  /** True for a quote: the client may still put an `approve` in front. False for the operation as it will be sent. */
  readonly approveHeadroom: boolean;
}

/**
 * The limits of a sponsored operation, raised to what it needs when it is paid in a token.
 *
 * @param sponsorStub the `paymasterAndData` that was estimated
 * @param percent margin on added preVerificationGas
 */
export function addTokenGas({
  limits,
  operation,
  sponsorStub,
  token,
  percent,
}: {
  limits: AccountGasLimits;
  operation: UserOperation;
  sponsorStub: Hex;
  token: TokenEstimation;
  percent: bigint;
}): AccountGasLimits {
  const { terms, way } = token;
  const dataGas = longerDataGas(operation, sponsorStub, paymasterDataBytes(way) - SPONSOR_DATA_BYTES);
  const headroom = token.approveHeadroom ? APPROVE_HEADROOM : { callGas: 0n, preVerificationGas: 0n };
  const verificationGas = limits.verificationGasLimit + terms.addedVerificationGas;
  const least = terms.minVerificationGas ?? 0n;
  return {
    callGasLimit: limits.callGasLimit + headroom.callGas,
    verificationGasLimit: verificationGas > least ? verificationGas : least,
    preVerificationGas:
      limits.preVerificationGas + ceilDiv(dataGas * (100n + percent), 100n) + headroom.preVerificationGas,
  };
}

/** At least the gas of two signature checks. */
const COUNTED_ON_GAS = 40_000n;

/** The gas of `bytes` more of paymaster data, all counted as non-zero bytes. */
function longerDataGas(operation: UserOperation, sponsorStub: Hex, bytes: number): bigint {
  // When bundlers compute the call-data floor, they count little of the limits as used.
  const unlimited = { ...operation, callGasLimit: 0n, verificationGasLimit: COUNTED_ON_GAS };
  const longer: Hex = `${sponsorStub}${'ff'.repeat(bytes)}`;
  return gasReference(unlimited, longer).preVerificationGas - gasReference(unlimited, sponsorStub).preVerificationGas;
}
