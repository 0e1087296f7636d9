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
   * @param parse throws only on answers that prove the node faulty: another node is then asked. The caller judges the
   *   contract's answer
   */
  ethCall<T>(call: ContractCall, parse: (returned: unknown) => T): Promise<T>;
}
