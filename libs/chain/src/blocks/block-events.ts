import type { ChainEvent } from '@paymaster/domain';
import type { BlockHeader } from '../providers/block-header';
import type { ContractNotice } from './contract-notices';

/** A block with everything in it that concerns the books, in order of log index. */
export interface BlockEvents {
  readonly block: Omit<BlockHeader, 'logsBloom' | 'baseFeePerGasWei'>;
  readonly events: readonly ChainEvent[];
  /** Events that move no money but must be reported to people. */
  readonly notices: readonly ContractNotice[];
}
