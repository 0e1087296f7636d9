import type { BlockHeader, BlockRef, Cursor, SettlementBooks } from '@paymaster/ledger/settlement';
import type { ChainSource } from './chain-source';

/** Where the books and the chain differ, and how. */
export type Meeting =
  /** The chain goes on where the books end; `block` is their head. */
  | { readonly kind: 'continues'; readonly block: BlockRef }
  /**
   * The node's head is below that of the books, and no block of the books was seen to be undone: nothing to undo,
   * nothing to apply. `block` is the newest block of the books that the node has; undefined where no block was compared.
   */
  | { readonly kind: 'nodeIsBehind'; readonly block?: BlockRef }
  /** Blocks above `block` were undone. */
  | { readonly kind: 'forked'; readonly block: BlockRef; readonly undoneBlocks: number }
  /** The books and the chain differ below the lowest block that may be undone. */
  | { readonly kind: 'tooDeep'; readonly reason: string };

export interface MeetingQuestion {
  readonly chainId: number;
  readonly books: Pick<SettlementBooks, 'newestBlockUpTo'>;
  readonly source: Pick<ChainSource, 'header'>;
  readonly cursor: Cursor;
  /** The node's newest block. */
  readonly head: BlockHeader;
  /** How many blocks may be undone. */
  readonly windowBlocks: number;
}

/**
 * Finds the newest block that is in the books and on the chain. It compares the blocks of the books, from the lower of
 * the two heads down to the end of the window. If the books left out the block at that end, it compares the next block
 * below too: only that block shows a reorganisation that ends among the blocks left out.
 */
export async function findMeetingBlock(question: MeetingQuestion): Promise<Meeting> {
  const { chainId, books, source, cursor, head, windowBlocks } = question;
  const top = head.number < cursor.head.number ? head.number : cursor.head.number;
  const windowEnd = cursor.head.number - BigInt(windowBlocks);
  const lowest = windowEnd > cursor.final.number ? windowEnd : cursor.final.number;
  const newest = await books.newestBlockUpTo(chainId, top);
  let ours: BlockRef | undefined = newest;
  for (; ours; ours = await books.newestBlockUpTo(chainId, ours.number - 1n)) {
    const theirs = ours.number === head.number ? head : await source.header(ours.number);
    // The node named this block or a higher block a moment ago. Its head went down meanwhile, which undoes no block.
    if (!theirs) return { kind: 'nodeIsBehind' };
    if (ours.hash === theirs.hash) {
      if (ours.number === cursor.head.number) return { kind: 'continues', block: ours };
      // Whether blocks above it were undone is known when the node has caught up.
      if (ours === newest) return { kind: 'nodeIsBehind', block: ours };
      return { kind: 'forked', block: ours, undoneBlocks: Number(cursor.head.number - ours.number) };
    }
    if (ours.number <= lowest) break;
  }
  // The node is so far behind that the books have deleted the blocks of that height.
  if (!ours) return { kind: 'nodeIsBehind' };
  const bound =
    lowest === cursor.final.number
      ? `the final block ${cursor.final.number} (${cursor.final.hash})`
      : `${windowBlocks} blocks below the head ${cursor.head.number}`;
  return { kind: 'tooDeep', reason: `the chain does not meet the books at or above ${bound}` };
}
