import type { RawQuantity } from './quantity';

/** `params[0]` as the schema lets it through: shapes are right, meaning is not checked yet. */
export interface RawUserOperation {
  readonly sender: string;
  readonly nonce: RawQuantity;
  readonly callData: string;
  readonly initCode?: string | null;
  readonly factory?: string | null;
  readonly factoryData?: string | null;
  readonly callGasLimit?: RawQuantity;
  readonly verificationGasLimit?: RawQuantity;
  readonly preVerificationGas?: RawQuantity;
  readonly maxFeePerGas?: RawQuantity;
  readonly maxPriorityFeePerGas?: RawQuantity;
  readonly signature?: string | null;
  readonly [other: string]: unknown;
}
