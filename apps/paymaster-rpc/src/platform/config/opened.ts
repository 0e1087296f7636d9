import type { ChainConfig } from '@paymaster/chain';
import type { Ledger } from '@paymaster/ledger';
import type { OpenedSigners } from '@paymaster/signers';
import type { Deadlines } from './deadlines';

/** Injection token of the {@link Opened} of this process. */
export const OPENED = Symbol('OPENED');

/** The parts that are opened before Nest starts. */
export interface Opened {
  readonly signers: OpenedSigners;
  readonly chains: readonly ChainConfig[];
  /** A ledger in place of the ledger that the configuration names. */
  readonly ledger?: Ledger | undefined;
  readonly deadlines: Deadlines;
}
