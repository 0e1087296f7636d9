import type { BlockRange, ContractNotice, Look, MissedStretch, ProviderStatus, Stretch } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import type { AppliedBlock, BlockHeader } from '@paymaster/ledger/settlement';

/** A block with what concerns the ledger in it, and what concerns people. */
export interface ReadBlock extends AppliedBlock {
  readonly notices: readonly ContractNotice[];
}

/** A chain as settlement reads it: what several providers agree on. Every method throws when they do not. */
export interface ChainSource {
  /** The newest block. */
  head(): Promise<BlockHeader>;
  /** Whether no provider names a higher block, not even one alone. */
  isNewest(head: BlockHeader): boolean;
  /** The newest block that the chain will not undo. */
  final(): Promise<BlockHeader>;
  /** The block of that number on the node's chain of this moment; undefined above its head. */
  header(number: bigint): Promise<BlockHeader | undefined>;
  /** All blocks of the range, both ends included, in order. */
  blocks(from: bigint, to: bigint): Promise<readonly ReadBlock[]>;
  /** Whether nothing of ours happened in blocks. */
  stretch(look: Look): Promise<Stretch>;
  /** Asks again about blocks that were found quiet, all of which have to be on the chain still. */
  lookBack(): Promise<MissedStretch | undefined>;
  /** Says which blocks the books left out, oldest first, where this process does not know when: they are not certain. */
  doubt(stretches: readonly BlockRange[]): void;
  /** Blocks above this one were found quiet and may still turn out to have events; undefined where there are none. */
  certainUpTo(): bigint | undefined;
  /** What a contract answered at the end of a block. */
  callAt(blockHash: Hex, call: { readonly to: Address; readonly data: Hex }): Promise<Hex>;
  /** How each provider does, for metrics. */
  providers?(): readonly ProviderStatus[];
}
