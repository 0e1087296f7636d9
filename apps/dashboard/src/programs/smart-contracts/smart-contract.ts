import type { Address, ContractError, Hex } from '@paymaster/domain';

/** A contract that a paymaster may sponsor calls to. */
export interface SmartContract {
  readonly id: string;
  readonly paymasterId: string;
  readonly name: string;
  readonly address: Address;
  /** The text that was sent. */
  readonly abi: string;
  /** Names of the state-changing functions, in ABI order, once each. */
  readonly methods: readonly string[];
  /** Names (for every overload) and full signatures that are sponsored, as sent. */
  readonly whitelistedMethods: readonly string[];
  /** What `whitelistedMethods` comes down to, for the gateway. */
  readonly selectors: readonly Hex[];
  /** Of the ABI, for the gateway. */
  readonly errors: readonly ContractError[];
}
