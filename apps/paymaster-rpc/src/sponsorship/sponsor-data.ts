import { encodePaymasterAndData } from '@paymaster/chain';
import type { Address, EntryPointVersion, Hex, PaymasterGasLimits } from '@paymaster/domain';
import type { SponsorTerms } from './sponsor-terms';

/** The paymaster's part of an operation, in the forms of all EntryPoint versions. */
export interface SponsorData {
  readonly entryPointVersion: EntryPointVersion;
  readonly paymaster: Address;
  readonly paymasterGasLimits: PaymasterGasLimits;
  readonly paymasterData: Hex;
  readonly paymasterAndData: Hex;
}

/** `paymasterData` with what goes around it. */
export function sponsorData(terms: SponsorTerms, paymasterData: Hex): SponsorData {
  const { version, paymaster, constants } = terms;
  return {
    entryPointVersion: version,
    paymaster,
    paymasterGasLimits: constants,
    paymasterData,
    paymasterAndData: encodePaymasterAndData({ version, paymaster, paymasterGasLimits: constants, paymasterData }),
  };
}
