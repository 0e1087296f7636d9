import type { Hex } from '@paymaster/domain';
import { findMeetingBlock } from './meeting-block';

const FINAL = 100;

/** A block of the books' branch, or of another branch that begins above a block. */
function blockOf(number: number, forkedAbove = Infinity) {
  const hash: Hex = `0x${number.toString(16)}${number > forkedAbove ? 'f' : ''}`;
  return { number: BigInt(number), hash, parentHash: '0x0' as Hex, timeSeconds: number };
}

/** The books have some blocks and left out those between; the node has all up to its head. */
function meet({ ours, head, forkedAbove }: { ours: readonly number[]; head: number; forkedAbove?: number }) {
  const books = [FINAL, ...ours].reverse().map((number) => blockOf(number));
  return findMeetingBlock({
    chainId: 1,
    windowBlocks: 64,
    books: { newestBlockUpTo: (_chain, number) => Promise.resolve(books.find((each) => each.number <= number)) },
    source: {
      header: (number) => Promise.resolve(number > head ? undefined : blockOf(Number(number), forkedAbove)),
    },
    cursor: { head: books[0]!, final: blockOf(FINAL), haltedReason: null },
    head: blockOf(head, forkedAbove),
  });
}

describe('findMeetingBlock, where the head of the node lies among blocks that the books left out', () => {
  it('sees that the blocks of the books below it were undone', async () => {
    const meeting = await meet({ ours: [130, 160], head: 145, forkedAbove: 110 });
    expect(meeting).toEqual({ kind: 'forked', block: blockOf(FINAL), undoneBlocks: 60 });
  });

  it.each([150, 135])(
    'says up to which block they agree, and nothing about blocks above: a branch above %d',
    async (forkedAbove) => {
      const meeting = await meet({ ours: [130, 160], head: 145, forkedAbove });
      expect(meeting).toEqual({ kind: 'nodeIsBehind', block: blockOf(130) });
    },
  );

  it('compares nothing with a node that is below all blocks of the books', async () => {
    expect(await meet({ ours: [130], head: 90 })).toEqual({ kind: 'nodeIsBehind' });
  });
});
