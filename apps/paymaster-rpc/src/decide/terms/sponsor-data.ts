import { encodePaymasterAndData, type PaymasterGasConstants } from '@paymaster/chain';
import type { Address, EntryPointVersion, Hex, PaymasterGasLimits } from '@paymaster/domain';

/** The paymaster's part of an operation, in the forms of all EntryPoint versions. */
export interface SponsorData {
  readonly entryPointVersion: EntryPointVersion;
  readonly paymaster: Address;
  readonly paymasterGasLimits: PaymasterGasLimits;
  readonly paymasterData: Hex;
  readonly paymasterAndData: Hex;
}

/** `paymasterData` with what goes around it. */
export function sponsorData(
  {
    version,
    paymaster,
    constants,
  }: { version: EntryPointVersion; paymaster: Address; constants: PaymasterGasConstants },
  paymasterData: Hex,
): SponsorData {
  return {
    entryPointVersion: version,
    paymaster,
    paymasterGasLimits: constants,
    paymasterData,
    paymasterAndData: encodePaymasterAndData({ version, paymaster, paymasterGasLimits: constants, paymasterData }),
  };
}
