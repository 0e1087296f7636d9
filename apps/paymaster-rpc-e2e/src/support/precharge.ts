import type { EntryPointVersion } from '@paymaster/domain';
import { parseSponsorData } from './sponsor-digest';
import type { Hex } from '@paymaster/domain';
import type { WireOperation } from './wire-operation';

export interface Priced {
  readonly version: EntryPointVersion;
  /** With its three account gas limits. */
  readonly operation: WireOperation;
  readonly paymasterAndData: Hex;
}

/** What the contract takes from the funding wallet in validation; docs/architecture/paymaster-data.md, "Money". */
export function prechargeWei({ version, operation, paymasterAndData }: Priced): bigint {
  const data = parseSponsorData(version, paymasterAndData);
  const [call, verification, pre] = [
    operation.callGasLimit,
    operation.verificationGasLimit,
    operation.preVerificationGas,
  ].map((limit) => BigInt(limit ?? 0)) as [bigint, bigint, bigint];
  const gas =
    version === '0.6'
      ? call + 3n * verification + pre
      : call + verification + pre + data.paymasterVerificationGasLimit + data.paymasterPostOpGasLimit;
  const costWei = (gas + BigInt(data.unaccountedGas)) * BigInt(operation.maxFeePerGas);
  return (costWei * BigInt(data.feeMarkup) + 999_999n) / 1_000_000n;
}
