import type { ChainConfig } from '@paymaster/chain';
import type { ChainSource } from './chain-source';

/** One chain of chains.json, and how it is read. */
export interface FollowedChain {
  readonly config: ChainConfig;
  readonly source: ChainSource;
}

/** Injects every {@link FollowedChain}. */
export const FOLLOWED_CHAINS = Symbol('FOLLOWED_CHAINS');

/** Injects the name under which this process holds leases. Each start of a process has another name. */
export const LEASE_HOLDER = Symbol('LEASE_HOLDER');
