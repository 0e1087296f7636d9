import type { RawQuantity } from './quantity';

/** An EIP-7702 authorization of a shape the schema has accepted. */
export interface RawAuthorization {
  readonly address: string;
  readonly chainId: RawQuantity;
  readonly nonce: RawQuantity;
  readonly r: RawQuantity;
  readonly s: RawQuantity;
  readonly yParity: RawQuantity;
}

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
  readonly paymasterData?: string | null;
  readonly eip7702Auth?: RawAuthorization | null;
  /** The same authorization under the name that clients use which send their in-memory objects. */
  readonly authorization?: RawAuthorization | null;
  readonly [other: string]: unknown;
}
