import type { BlockHeader, BlockRef, Cursor, SettlementBooks } from '@paymaster/ledger/settlement';
import type { ChainSource } from './chain-source';

/** Where the books and the chain part, and how. */
export type Meeting =
  /** The chain goes on where the books end; `block` is their head. */
  | { readonly kind: 'continues'; readonly block: BlockRef }
  /** The node is behind the books: its head is one of our blocks. Nothing to undo, nothing to apply. */
  | { readonly kind: 'nodeIsBehind' }
  /** Blocks above `block` were undone. */
  | { readonly kind: 'forked'; readonly block: BlockRef; readonly undoneBlocks: number }
  /** They part below the lowest block that may be undone. */
  | { readonly kind: 'tooDeep'; readonly reason: string };

export interface MeetingQuestion {
  readonly chainId: number;
  readonly books: Pick<SettlementBooks, 'blockAt'>;
  readonly source: Pick<ChainSource, 'header'>;
  readonly cursor: Cursor;
  /** The node's newest block. */
  readonly head: BlockHeader;
  /** How many blocks may be undone. */
  readonly windowBlocks: number;
}

/** Finds the newest block that is in the books and on the chain, walking down from the lower of the two heads. */
export async function findMeetingBlock(question: MeetingQuestion): Promise<Meeting> {
  const { chainId, books, source, cursor, head, windowBlocks } = question;
  const top = head.number < cursor.head.number ? head.number : cursor.head.number;
  const windowEnd = cursor.head.number - BigInt(windowBlocks);
  const lowest = windowEnd > cursor.final.number ? windowEnd : cursor.final.number;

  // A node far behind may be below what the books still know by number: then there is nothing to compare.
  if (top < lowest) {
    const ours = await books.blockAt(chainId, top);
    if (!ours || ours.hash === head.hash) return { kind: 'nodeIsBehind' };
  }
  for (let number = top; number >= lowest; number--) {
    const ours = await ourBlock(question, number);
    if (!ours) {
      // Left out of the books: whether the node is behind them or on another branch shows when it has come further.
      if (number === head.number) return { kind: 'nodeIsBehind' };
      continue;
    }
    const theirs = number === head.number ? head : await source.header(number);
    // It named this block or a higher one a moment ago: its head went down meanwhile, which undoes nothing.
    if (!theirs) return { kind: 'nodeIsBehind' };
    if (ours.hash !== theirs.hash) continue;
    if (number === cursor.head.number) return { kind: 'continues', block: ours };
    if (number === head.number) return { kind: 'nodeIsBehind' };
    return { kind: 'forked', block: ours, undoneBlocks: Number(cursor.head.number - number) };
  }
  const bound =
    lowest === cursor.final.number
      ? `the final block ${cursor.final.number} (${cursor.final.hash})`
      : `${windowBlocks} blocks below the head ${cursor.head.number}`;
  return { kind: 'tooDeep', reason: `the chain does not meet the books at or above ${bound}` };
}

async function ourBlock({ chainId, books, cursor }: MeetingQuestion, number: bigint): Promise<BlockRef | undefined> {
  if (number === cursor.head.number) return cursor.head;
  if (number === cursor.final.number) return cursor.final;
  return books.blockAt(chainId, number);
}
