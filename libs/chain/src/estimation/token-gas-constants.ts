import type { EntryPointVersion } from '@paymaster/domain';

/** What the contract needs in token mode besides the token's own gas, measured by its own tests; gas. */
export interface TokenGasConstants {
  /** Validation without any token call. */
  readonly tokenValidationGas: bigint;
  /** One EIP-2612 `permit`, an ERC-1271 account's signature check included. */
  readonly tokenPermitGas: bigint;
  /** `postOp` and the EntryPoint's tail without the token's call. */
  readonly tokenPostOpBaseGas: bigint;
  /** What `postOp` must have beyond what it is charged for. */
  readonly tokenPostOpMargin: bigint;
}

/** Estimates until the contract's own figures are generated. */
const ESTIMATED: TokenGasConstants = {
  tokenValidationGas: 70_000n,
  tokenPermitGas: 60_000n,
  tokenPostOpBaseGas: 30_000n,
  tokenPostOpMargin: 15_000n,
};

export const TOKEN_GAS_CONSTANTS: Readonly<Record<EntryPointVersion, TokenGasConstants>> = {
  '0.6': ESTIMATED,
  '0.7': ESTIMATED,
  '0.8': ESTIMATED,
};
