import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { monotonicClock, type BundlerEndpoint, type Sending } from '@paymaster/chain';
import { BundlerRefusedError, type Address, type Hex } from '@paymaster/domain';
import { LRUCache } from 'lru-cache';
import type { ServedChain } from '../chains/served-chain';
import { landedAmong, SEARCHED_BLOCKS } from './receipts';

/** How often the chains are looked at; milliseconds. */
const LOOK_MS = 1_000;
/** How long one question may take; milliseconds. */
const DEADLINE_MS = 5_000;
/** How long operations are sent again in one look: what is left is due in the next; milliseconds. */
const RESEND_MS = 10_000;
const RESENDS_AT_ONCE = 8;
/** What is followed of a chain, and of one paymaster there, at a time. What is more is not sent again. */
const MOST = { operations: 10_000, characters: 50_000_000 };
const OF_ONE_PAYMASTER = 4;
/** What one question to a node names. */
const ASKED_AT_ONCE = 100;
/** No operation is followed longer, whatever its data say; seconds. */
const LONGEST_SECONDS = 3_600;
/** So long after its end an operation is looked for once more: a node may lag; seconds. */
const GRACE_SECONDS = 15;
/** What cannot be looked for is given up so long after its end; seconds. */
const UNKNOWN_AFTER_SECONDS = 120;
/** An operation with a nonce that bundlers refused so often, rounds apart, and that is in no block, was replaced. */
const NONCE_REFUSALS = 2;
/** Operations that this process remembers to have landed. */
const REMEMBERED = 20_000;

/**
 * What became of operations that bundlers took: landed; expired; replaced by another with the same nonce; unknown, where
 * the node does not say; unfollowed, because too many are on their way.
 */
const FATES = ['landed', 'expired', 'replaced', 'unknown', 'unfollowed'] as const;
export type Fate = (typeof FATES)[number];

/** An operation of our paymasters that a bundler took. */
interface Sent {
  readonly sending: Omit<Sending, 'deadlineMs'>;
  /** Whose operation it is, for the bound on one paymaster. */
  readonly paymasterId: string;
  /** When our signature ends; unix seconds on chain. */
  readonly validUntilSeconds: number;
  /** No block before this one has it. */
  readonly sinceBlock: bigint;
  readonly size: number;
  takenBy: readonly BundlerEndpoint[];
  /** It is looked for at this block, or at this time of the monotonic clock, and sent again where it is in no block. */
  due: { readonly block: bigint; readonly ms: number };
  /** How often a bundler said that the nonce is used, the operation before is on its way, or the account is there. */
  nonceRefusals: number;
}

/** How much is followed. */
interface Load {
  operations: number;
  characters: number;
}

/** What this process follows on a chain, and what became of it since the start. */
class FollowedChain {
  readonly fates = Object.fromEntries(FATES.map((fate) => [fate, 0])) as Record<Fate, number>;
  /** Operations sent again, by the name of the bundler that took them. */
  readonly sentAgain = new Map<string, number>();
  readonly waiting = new Map<Hex, Sent>();
  readonly landed = new LRUCache<Hex, true>({ max: REMEMBERED });
  readonly load: Load = { operations: 0, characters: 0 };
  readonly ofPaymasters = new Map<string, Load>();
  isBusy = false;

  constructor(readonly chain: ServedChain) {}

  add(sent: Sent): boolean {
    const { paymasterId, size } = sent;
    const own = this.ofPaymasters.get(paymasterId) ?? { operations: 0, characters: 0 };
    if (isFull(this.load, size, 1) || isFull(own, size, OF_ONE_PAYMASTER)) return false;
    this.waiting.set(sent.sending.userOpHash, sent);
    this.ofPaymasters.set(paymasterId, own);
    for (const load of [this.load, own]) change(load, { operations: 1, characters: size });
    return true;
  }

  end({ sending, paymasterId, size }: Sent, fate: Fate): void {
    if (!this.waiting.delete(sending.userOpHash)) return;
    this.fates[fate] += 1;
    if (fate === 'landed') this.landed.set(sending.userOpHash, true);
    const own = this.ofPaymasters.get(paymasterId)!;
    for (const load of [this.load, own]) change(load, { operations: -1, characters: -size });
    if (own.operations === 0) this.ofPaymasters.delete(paymasterId);
  }
}

/**
 * Follows the operations of our paymasters that bundlers took, until they land or our signature ends. An operation that
 * is in none of the chain's next blocks is sent to the next bundler. Then it may be in two pools: its nonce lets it land
 * once, and a bundle that fails is the most that costs.
 */
@Injectable()
export class SentOperations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly followed = new Map<number, FollowedChain>();
  private timer: NodeJS.Timeout | undefined;

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Begins to follow an operation that a bundler took just now. Again for the same operation, it changes nothing.
   *
   * @param sinceBlock the head before it was sent; undefined when the chain had not been read
   */
  follow(
    chain: ServedChain,
    operation: Pick<Sent, 'sending' | 'paymasterId' | 'validUntilSeconds'> & {
      readonly takenBy: BundlerEndpoint;
      readonly sinceBlock: bigint | undefined;
    },
  ): void {
    const followed = this.of(chain);
    const { sending, takenBy, sinceBlock } = operation;
    if (followed.waiting.has(sending.userOpHash)) return;
    const isAdded =
      sinceBlock !== undefined &&
      followed.add({
        ...operation,
        validUntilSeconds: Math.min(operation.validUntilSeconds, chain.head.nowSeconds() + LONGEST_SECONDS),
        // A bundler may have landed it when it was sent here a second time.
        sinceBlock: sinceBlock - BigInt(chain.config.resendAfterBlocks),
        size: sizeOf(sending),
        takenBy: [takenBy],
        due: dueAfter(chain, sinceBlock),
        nonceRefusals: 0,
      });
    if (!isAdded) followed.fates.unfollowed += 1;
  }

  /** Whether a client must not take an operation for lost: it may still land, or has. */
  isAlive(chain: ServedChain, userOpHash: Hex): boolean {
    const { waiting, landed } = this.of(chain);
    return waiting.has(userOpHash) || landed.has(userOpHash);
  }

  hasLanded(chain: ServedChain, userOpHash: Hex): boolean {
    return this.of(chain).landed.has(userOpHash);
  }

  /** The bundler that took an operation last, while it is followed. */
  takenBy(chain: ServedChain, userOpHash: Hex): BundlerEndpoint | undefined {
    return this.of(chain).waiting.get(userOpHash)?.takenBy.at(-1);
  }

  /** For metrics. */
  ofChains(): ReadonlyArray<Pick<FollowedChain, 'fates' | 'sentAgain' | 'waiting' | 'chain'>> {
    return [...this.followed.values()];
  }

  /** Looks for what is due on each chain. A chain that cannot be asked is looked at again a second later. */
  async look(): Promise<void> {
    await Promise.all(
      [...this.followed.values()].map(async (followed) => {
        if (followed.isBusy) return;
        followed.isBusy = true;
        await this.lookAt(followed)
          .catch(() => undefined)
          .finally(() => (followed.isBusy = false));
      }),
    );
  }

  private async lookAt(followed: FollowedChain): Promise<void> {
    const { chain, waiting } = followed;
    const { number } = chain.head.latest();
    const now = monotonicClock();
    const due = [...waiting.values()].filter((sent) => sent.due.block <= number || sent.due.ms <= now);
    for (let at = 0; at < due.length; at += ASKED_AT_ONCE) await lookFor(due.slice(at, at + ASKED_AT_ONCE), followed);
    const left = due.filter(({ sending }) => waiting.has(sending.userOpHash));
    // What was sent least often goes first: operations that never land must not keep others waiting.
    left.sort((one, other) => one.takenBy.length - other.takenBy.length);
    const endMs = monotonicClock() + RESEND_MS;
    const takeTurns = async () => {
      for (let sent = left.shift(); sent && monotonicClock() < endMs; sent = left.shift())
        await sendAgain(followed, sent);
    };
    await Promise.all(Array.from({ length: RESENDS_AT_ONCE }, takeTurns));
  }

  private of(chain: ServedChain): FollowedChain {
    const known = this.followed.get(chain.config.chainId);
    if (known) return known;
    const followed = new FollowedChain(chain);
    this.followed.set(chain.config.chainId, followed);
    return followed;
  }
}

/** Ends what has landed, and what can land no longer. Never rejects. */
async function lookFor(due: readonly Sent[], followed: FollowedChain): Promise<void> {
  const { chain } = followed;
  const oldest = due.map(({ sinceBlock }) => sinceBlock).reduce((one, other) => (one < other ? one : other));
  const reach = chain.head.latest().number - BigInt(SEARCHED_BLOCKS);
  const landed = await landedAmong(chain.reads, {
    userOpHashes: due.map(({ sending }) => sending.userOpHash),
    entryPoints: Object.values(chain.config.entryPoints).map(({ entryPoint }): Address => entryPoint),
    fromBlock: [oldest, reach, 0n].reduce((one, other) => (one > other ? one : other)),
    deadlineMs: monotonicClock() + DEADLINE_MS,
  }).catch(() => undefined);
  for (const sent of due) {
    const endedSeconds = chain.head.nowSeconds() - sent.validUntilSeconds;
    if (landed?.has(sent.sending.userOpHash)) followed.end(sent, 'landed');
    else if (!landed && endedSeconds > UNKNOWN_AFTER_SECONDS) followed.end(sent, 'unknown');
    else if (landed && sent.nonceRefusals >= NONCE_REFUSALS) followed.end(sent, 'replaced');
    else if (landed && endedSeconds > GRACE_SECONDS) followed.end(sent, 'expired');
  }
}

/** Sends an operation again that can still land at its price, and whose validation does not fail now. Never rejects. */
async function sendAgain({ chain, sentAgain }: FollowedChain, sent: Sent): Promise<void> {
  const head = chain.head.latest();
  sent.due = dueAfter(chain, head.number);
  const { operation } = sent.sending.complete;
  if (sent.validUntilSeconds <= chain.head.nowSeconds() || operation.maxFeePerGas < head.baseFeePerGasWei) return;
  const sending = { ...sent.sending, deadlineMs: monotonicClock() + DEADLINE_MS };
  // Where it cannot be tried, the bundler's own simulation decides.
  if (await chain.validationTrial.refusal(sending).catch(() => undefined)) return;
  try {
    const taken = await chain.bundlers.sendAgain(sending, sent.takenBy);
    if (!taken) return;
    const { bundler } = taken;
    sent.takenBy = [...sent.takenBy.filter((each) => each !== bundler), bundler];
    sentAgain.set(bundler.name, (sentAgain.get(bundler.name) ?? 0) + 1);
  } catch (error) {
    if (error instanceof BundlerRefusedError) sent.nonceRefusals += 1;
  }
}

/** Blocks count; on a chain that makes none without transactions, time does, at twice the length. */
function dueAfter({ config }: ServedChain, head: bigint): Sent['due'] {
  const { resendAfterBlocks, blockTimeSeconds } = config;
  return {
    block: head + BigInt(resendAfterBlocks),
    ms: monotonicClock() + 2_000 * resendAfterBlocks * blockTimeSeconds,
  };
}

function isFull({ operations, characters }: Load, size: number, parts: number): boolean {
  return operations + 1 > MOST.operations / parts || characters + size > MOST.characters / parts;
}

function change(load: Load, { operations, characters }: Load): void {
  load.operations += operations;
  load.characters += characters;
}

/** Characters of all that it keeps. */
function sizeOf({ complete: { operation, paymaster } }: Sent['sending']): number {
  const values: unknown[] = [...Object.values({ ...operation }), ...Object.values({ ...paymaster })];
  return values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}
