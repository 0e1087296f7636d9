import { toWirePaymasterData } from '@paymaster/chain';
import type { AccountGasLimits, Hex } from '@paymaster/domain';
import type { Sponsorship } from '../sponsorship/sponsor-user-operation.service';

/** The core dialect's sponsored result (interface document, "Sponsored-mode result"); that of a token payment too. */
export interface SponsoredResult {
  readonly MODE: string;
  readonly mode: string;
  readonly paymasterAndData: Hex;
  readonly preVerificationGas: string;
  readonly verificationGasLimit: number;
  readonly callGasLimit: number;
  readonly paymaster?: string;
  readonly paymasterData?: Hex;
  readonly paymasterSignature?: Hex;
  readonly paymasterVerificationGasLimit?: string;
  readonly paymasterPostOpGasLimit?: string;
}

/** @param mode as requested, to be echoed */
export function presentSponsorship(mode: string, sponsorship: Sponsorship): SponsoredResult {
  const result = { ...presentLimits(mode, sponsorship.limits), paymasterAndData: sponsorship.paymasterAndData };
  if (sponsorship.entryPointVersion === '0.6') return result;
  const { paymaster, paymasterData, paymasterGasLimits } = sponsorship;
  return {
    ...result,
    paymaster,
    ...toWirePaymasterData(sponsorship.entryPointVersion, paymasterData),
    paymasterVerificationGasLimit: hex(paymasterGasLimits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: hex(paymasterGasLimits.paymasterPostOpGasLimit),
  };
}

/** Tells existing SDKs that the user pays. */
export const UNSPONSORED: Hex = '0x';

export function presentUnsponsored(mode: string, limits: AccountGasLimits): SponsoredResult {
  return { ...presentLimits(mode, limits), paymasterAndData: UNSPONSORED };
}

/** A strict client wants a string here and JSON integers there; limits are capped far below 2^53. */
function presentLimits(mode: string, limits: AccountGasLimits): Omit<SponsoredResult, 'paymasterAndData'> {
  return {
    MODE: mode,
    mode,
    preVerificationGas: limits.preVerificationGas.toString(),
    verificationGasLimit: Number(limits.verificationGasLimit),
    callGasLimit: Number(limits.callGasLimit),
  };
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;
