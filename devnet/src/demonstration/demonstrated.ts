import type { Hex } from '@paymaster/domain';

/** An operation that the demonstration landed, for the bill at its end. */
export interface Demonstrated {
  /** For people. */
  readonly title: string;
  /** Of the paymaster that paid. */
  readonly apiKey: string;
  readonly userOpHash: Hex;
  readonly transactionHash: Hex;
  /** What the funding wallet's deposit in the contract fell by. */
  readonly chargedWei: bigint;
  /** What the EntryPoint's event says. */
  readonly actualGasCostWei: bigint;
}
