import type {
  BlockRange,
  BundledOperation,
  ContractNotice,
  LandedOperation,
  Look,
  MissedStretch,
  ProviderStatus,
  Stretch,
} from '@paymaster/chain';
import type { Address, EntryPointVersion, Hex } from '@paymaster/domain';
import type { AppliedBlock, BlockHeader } from '@paymaster/ledger/settlement';

/** A block with its events for the ledger, and its notices for people. */
export interface ReadBlock extends AppliedBlock {
  readonly notices: readonly ContractNotice[];
}

/** A chain as settlement reads it: what its providers agree on. Every method throws when they do not agree. */
export interface ChainSource {
  /** The newest block. */
  head(): Promise<BlockHeader>;
  /** Whether no provider names a higher block. A single provider that does is enough to deny it. */
  isNewest(head: BlockHeader): boolean;
  /** The newest block that the chain will not undo. */
  final(): Promise<BlockHeader>;
  /** The block of that number on the chain now; undefined above its head. */
  header(number: bigint): Promise<BlockHeader | undefined>;
  /** All blocks of the range, both ends included, in order. */
  blocks(from: bigint, to: bigint): Promise<readonly ReadBlock[]>;
  /** Whether our contracts had no events in some blocks. */
  stretch(look: Look): Promise<Stretch>;
  /** Asks again about blocks that were found quiet. All of them have to be on the chain still. */
  lookBack(): Promise<MissedStretch | undefined>;
  /**
   * Tells the source which blocks the books left out, oldest first, when another process left them out. They count as
   * unproven until they are read a second time.
   */
  doubt(stretches: readonly BlockRange[]): void;
  /** Blocks above this number were found quiet and are not confirmed yet. Undefined: all are confirmed. */
  certainUpTo(): bigint | undefined;
  /** What a contract answers to a call at the end of a block. */
  callAt(blockHash: Hex, call: { readonly to: Address; readonly data: Hex }): Promise<Hex>;
  /**
   * The whole operation, from the transaction that carried it; null where the transaction is in no block, or reached the
   * EntryPoint through another contract.
   */
  bundled(landed: LandedOperation & { readonly version: EntryPointVersion }): Promise<BundledOperation | null>;
  /** The state of each provider, for metrics. */
  providers?(): readonly ProviderStatus[];
}
