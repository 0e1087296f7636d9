import type { Address, Hex } from '@paymaster/domain';

/** A read of a contract at the newest block. */
export interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
  /** The most it may use; by default what the node allows. */
  readonly gas?: bigint;
}

/** Reads a contract at the newest block; `ChainProvider` of libs/chain is one. */
export interface ContractReader {
  /**
   * @param parse throws on what no node may answer, nothing else: the node is then held to be faulty, and another one
   *   asked. What a contract says is for the caller to judge.
   */
  ethCall<T>(call: ContractCall, parse: (returned: unknown) => T): Promise<T>;
}
