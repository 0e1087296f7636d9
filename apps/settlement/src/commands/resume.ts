import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainConfig } from '@paymaster/chain';
import type { Cursor, Lease } from '@paymaster/ledger/settlement';
import { findMeetingBlock } from '../following/meeting-block';
import type { CommandContext } from './command-context';

/** How long the command waits for a leader that is about to release its lease; milliseconds. */
const RETRY_MS = 250;

/**
 * Lets a halted chain go on. It undoes the blocks of the books that are not on the chain any more, however many they
 * are, and clears the halt. It never undoes a block that is final in the books. Without `yes` it only says what it
 * would do.
 *
 * @returns whether the chain goes on; without `yes`: whether it would go on
 */
export async function resumeChain(
  context: CommandContext,
  { chain, yes }: { chain: ChainConfig; yes: boolean },
): Promise<boolean> {
  const { books, say } = context;
  const { chainId } = chain;
  const cursor = await books.cursor(chainId);
  if (!cursor) {
    say(`The books of chain ${chainId} were never opened: there is nothing to resume.`);
    return false;
  }
  if (cursor.haltedReason === null) {
    say(`Chain ${chainId} is not halted; its books go to block ${cursor.head.number}.`);
    return true;
  }
  say(`Chain ${chainId} is halted: ${cursor.haltedReason}`);
  say(`Books: head ${cursor.head.number} (${cursor.head.hash}), final ${cursor.final.number} (${cursor.final.hash}).`);

  const meeting = await meetAboveFinal(context, { chain, cursor });
  if (meeting === undefined) {
    say(`The chain does not have our final block ${cursor.final.number}: the books cannot be unwound below it.`);
    say('Check the RPC providers of chains.json. If the chain really undid it, open new books: see the README.');
    return false;
  }
  const undone = cursor.head.number - meeting;
  say(
    undone > 0n
      ? `This will undo ${undone} blocks of the books, ${meeting + 1n} to ${cursor.head.number}, clear the halt, and let settlement go on from block ${meeting}.`
      : `This will undo no block, clear the halt, and let settlement go on from block ${meeting}.`,
  );
  if (!yes) {
    say('Nothing was changed. Add --yes to do it.');
    return true;
  }
  await asLeader(context, chain, async (lease) => {
    if (undone > 0n) await books.unwindTo(lease, meeting);
    await books.resume(lease);
  });
  say(`Chain ${chainId} goes on from block ${meeting}.`);
  return true;
}

async function meetAboveFinal(
  { books, sourceOf }: CommandContext,
  { chain, cursor }: { chain: ChainConfig; cursor: Cursor },
): Promise<bigint | undefined> {
  const source = sourceOf(chain);
  const head = await source.head();
  const windowBlocks = Number(cursor.head.number - cursor.final.number);
  const meeting = await findMeetingBlock({ chainId: chain.chainId, books, source, cursor, head, windowBlocks });
  switch (meeting.kind) {
    case 'continues':
    case 'forked':
      return meeting.block.number;
    case 'nodeIsBehind':
      return cursor.head.number;
    case 'tooDeep':
      return undefined;
  }
}

/** A halted chain has no leader, or its leader releases the lease within a lease's time. */
async function asLeader(
  { config, leaseOf }: CommandContext,
  chain: ChainConfig,
  work: (lease: Lease) => Promise<void>,
): Promise<void> {
  const keeper = leaseOf(chain);
  const deadline = Date.now() + 2_000 * config.leaseTtlSeconds;
  let lease = await keeper.hold();
  while (!lease && Date.now() < deadline) {
    await sleep(RETRY_MS);
    lease = await keeper.hold();
  }
  if (!lease) throw new Error(`Another process holds the lease of chain ${chain.chainId}: nothing was changed.`);
  try {
    await work(lease);
  } finally {
    await keeper.release();
  }
}
