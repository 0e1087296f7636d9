import type { Address, Hex } from '@paymaster/domain';

/** Reads a contract at the newest block; `ChainProvider` of libs/chain is one. */
export interface ContractReader {
  /** @param parse throws on return data that is not what the call promises; another node may then be asked */
  ethCall<T>(call: { to: Address; data: Hex }, parse: (returned: unknown) => T): Promise<T>;
}
