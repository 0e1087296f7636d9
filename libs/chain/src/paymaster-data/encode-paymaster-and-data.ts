import {
  ENTRY_POINTS,
  isAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
  type PaymasterGasLimits,
} from '@paymaster/domain';
import { suffixDigits } from './paymaster-signature';

const UINT128_END = 1n << 128n;

/**
 * `paymasterAndData` as the EntryPoint carries it: v0.6 `paymaster ++ data`; later
 * `paymaster ++ paymasterVerificationGasLimit (16) ++ paymasterPostOpGasLimit (16) ++ data`; on v0.9 with the suffix
 * that says which bytes at the end are the signature.
 *
 * @throws {RangeError} when a limit does not fit 128 bits or the paymaster is not an address
 */
export function encodePaymasterAndData(input: {
  version: EntryPointVersion;
  paymaster: Address;
  /** Ignored on v0.6, whose layout has no place for them; gas. */
  paymasterGasLimits: PaymasterGasLimits;
  paymasterData: Hex;
}): Hex {
  if (!isAddress(input.paymaster)) throw new RangeError('paymaster is not an address');
  const data = input.paymasterData.slice(2);
  const paymaster = input.paymaster.toLowerCase() as Address;
  if (!ENTRY_POINTS[input.version].packed) return `${paymaster}${data}`;
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = input.paymasterGasLimits;
  return `${paymaster}${uint128Hex(paymasterVerificationGasLimit)}${uint128Hex(paymasterPostOpGasLimit)}${data}${suffixDigits(input.version)}`;
}

function uint128Hex(value: bigint): string {
  if (value < 0n || value >= UINT128_END) throw new RangeError(`paymaster gas limit ${value} does not fit 128 bits`);
  return value.toString(16).padStart(32, '0');
}
