import { toWirePaymasterData } from '@paymaster/chain';
import type { AccountGasLimits, Hex } from '@paymaster/domain';
import type { UserPays } from '../../operations/operations.service';
import type { Sponsorship } from '../../../answers/sponsor-user-operation.service';
import type { BiconomyRequest } from './parse';

/** The result of a sponsored operation or a token payment (interface document, "Sponsored-mode result"). */
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

/** The `paymasterAndData` by which existing SDKs know that the user pays. */
export const UNSPONSORED: Hex = '0x';

/** @param request.echo the mode as requested */
export function presentSponsorship(
  request: Pick<BiconomyRequest, 'echo' | 'wantsHex'>,
  signed: Sponsorship | UserPays,
): SponsoredResult {
  const limits = presentLimits(request, signed.limits);
  if (!('paymasterAndData' in signed)) return { ...limits, paymasterAndData: UNSPONSORED };
  const result = { ...limits, paymasterAndData: signed.paymasterAndData };
  if (signed.entryPointVersion === '0.6') return result;
  const { paymaster, paymasterData, paymasterGasLimits } = signed;
  return {
    ...result,
    paymaster,
    ...toWirePaymasterData(signed.entryPointVersion, paymasterData),
    paymasterVerificationGasLimit: hex(paymasterGasLimits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: hex(paymasterGasLimits.paymasterPostOpGasLimit),
  };
}

/**
 * Strict clients want `preVerificationGas` as a string and the other limits as JSON integers, which is safe because
 * limits are capped far below 2^53.
 */
function presentLimits(
  { echo: mode, wantsHex }: Pick<BiconomyRequest, 'echo' | 'wantsHex'>,
  limits: AccountGasLimits,
): Omit<SponsoredResult, 'paymasterAndData'> {
  return {
    MODE: mode,
    mode,
    preVerificationGas: wantsHex ? hex(limits.preVerificationGas) : limits.preVerificationGas.toString(),
    verificationGasLimit: Number(limits.verificationGasLimit),
    callGasLimit: Number(limits.callGasLimit),
  };
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;
