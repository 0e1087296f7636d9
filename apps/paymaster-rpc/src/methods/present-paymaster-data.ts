import { toWirePaymasterData } from '@paymaster/chain';
import type { AccountGasLimits, Hex, PaymasterGasLimits } from '@paymaster/domain';
import type { SponsorData } from '../sponsorship/sponsor-data';

/** Exactly ERC-7677's keys, and on v0.9 the operation's own: clients spread the answer over their operation. */
export interface PaymasterDataResult {
  readonly paymasterAndData?: Hex;
  readonly paymaster?: Hex;
  readonly paymasterData?: Hex;
  readonly paymasterSignature?: Hex;
  readonly paymasterVerificationGasLimit?: Hex;
  readonly paymasterPostOpGasLimit?: Hex;
  readonly callGasLimit?: Hex;
  readonly verificationGasLimit?: Hex;
  readonly preVerificationGas?: Hex;
}

/** The answer of both ERC-7677 methods; `accountLimits` only where the client asked for them. */
export function presentPaymasterData(data: SponsorData, accountLimits?: AccountGasLimits): PaymasterDataResult {
  const limits = accountLimits && {
    callGasLimit: hex(accountLimits.callGasLimit),
    verificationGasLimit: hex(accountLimits.verificationGasLimit),
    preVerificationGas: hex(accountLimits.preVerificationGas),
  };
  if (data.entryPointVersion === '0.6') return { paymasterAndData: data.paymasterAndData, ...limits };
  return {
    paymaster: data.paymaster,
    ...toWirePaymasterData(data.entryPointVersion, data.paymasterData),
    ...paymasterLimits(data.paymasterGasLimits),
    ...limits,
  };
}

function paymasterLimits(
  limits: PaymasterGasLimits,
): Pick<PaymasterDataResult, 'paymasterVerificationGasLimit' | 'paymasterPostOpGasLimit'> {
  return {
    paymasterVerificationGasLimit: hex(limits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: hex(limits.paymasterPostOpGasLimit),
  };
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
