import type { Address, Hex } from '@paymaster/domain';

/** A read of a contract at the newest block. */
export interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
  /** The most gas it may use; by default the node's limit. */
  readonly gas?: bigint;
}

/** Reads a contract at the newest block; `ChainProvider` of libs/chain is one. */
export interface ContractReader {
  /**
   * @param parse throws only on answers that no node may give: the node then counts as faulty, and another node is
   *   asked. The caller judges what a contract says.
   */
  ethCall<T>(call: ContractCall, parse: (returned: unknown) => T): Promise<T>;
}
