import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { monotonicClock, type BundlerEndpoint, type Sending } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import type { ServedChain } from '../chains/served-chain';
import { landedAmong } from './receipts';

/** How often the chains are looked at; milliseconds. */
const LOOK_MS = 1_000;
/** How long one look at a chain may take; milliseconds. */
const DEADLINE_MS = 5_000;
/** Operations that are followed at a time, and the characters of all their call data. What is more is not sent again. */
const MOST = { operations: 10_000, characters: 50_000_000 };
/** What one question to a node names. */
const ASKED_AT_ONCE = 100;

/** What became of operations that bundlers took. */
export type Fate = 'landed' | 'expired' | 'unfollowed';

/** An operation that carries our signature and that a bundler took. */
interface Sent {
  readonly sending: Omit<Sending, 'deadlineMs'>;
  /** When our signature ends; unix seconds on chain. */
  readonly validUntilSeconds: number;
  /** The chain's head when it was first sent: it can only be in later blocks. */
  readonly sinceBlock: bigint;
  takenBy: readonly BundlerEndpoint[];
  /** The block at which it is looked for, and sent again where it is in none. */
  dueBlock: bigint;
}

/** What this process followed on a chain, since its start. */
class FollowedChain {
  readonly fates: Record<Fate, number> = { landed: 0, expired: 0, unfollowed: 0 };
  /** Operations sent again, by the name of the bundler that took them. */
  readonly sentAgain = new Map<string, number>();
  readonly waiting = new Map<Hex, Sent>();
  isBusy = false;

  constructor(readonly chain: ServedChain) {}
}

/**
 * Follows the operations of our paymasters that bundlers took, until they land or our signature ends. An operation that
 * is in none of the chain's next blocks is sent to the next bundler. Then it may be in two pools: its nonce lets it land
 * once, and a bundle that fails is the most that costs.
 */
@Injectable()
export class SentOperations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly followed = new Map<number, FollowedChain>();
  private characters = 0;
  private timer: NodeJS.Timeout | undefined;

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Begins to follow an operation that a bundler took just now. Again for the same operation, it changes nothing. */
  follow(
    chain: ServedChain,
    { sending, validUntilSeconds, takenBy }: Pick<Sent, 'sending' | 'validUntilSeconds'> & { takenBy: BundlerEndpoint },
  ): void {
    const { waiting, fates } = this.of(chain);
    if (waiting.has(sending.userOpHash)) return;
    const size = sizeOf(sending);
    if (waiting.size >= MOST.operations || this.characters + size > MOST.characters) {
      fates.unfollowed += 1;
      return;
    }
    this.characters += size;
    const sinceBlock = chain.head.latest().number;
    const dueBlock = sinceBlock + BigInt(chain.config.resendAfterBlocks);
    waiting.set(sending.userOpHash, { sending, validUntilSeconds, sinceBlock, dueBlock, takenBy: [takenBy] });
  }

  /** Whether an operation may still land: it is followed, and our signature has not ended. */
  mayLand(chain: ServedChain, userOpHash: Hex): boolean {
    return this.of(chain).waiting.has(userOpHash);
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
    const { number } = followed.chain.head.latest();
    const due = [...followed.waiting.values()].filter(({ dueBlock }) => dueBlock <= number);
    for (let at = 0; at < due.length; at += ASKED_AT_ONCE)
      await this.lookFor(due.slice(at, at + ASKED_AT_ONCE), followed);
  }

  private async lookFor(due: readonly Sent[], followed: FollowedChain): Promise<void> {
    const { chain } = followed;
    const { timestampSeconds } = chain.head.latest();
    const landed = await landedAmong(chain.reads, {
      userOpHashes: due.map(({ sending }) => sending.userOpHash),
      entryPoints: entryPointsOf(chain),
      fromBlock: due.map(({ sinceBlock }) => sinceBlock).reduce((one, other) => (one < other ? one : other)),
      deadlineMs: monotonicClock() + DEADLINE_MS,
    });
    for (const sent of due) {
      if (landed.has(sent.sending.userOpHash)) this.end(followed, sent, 'landed');
      else if (sent.validUntilSeconds < timestampSeconds) this.end(followed, sent, 'expired');
      else await this.sendAgain(followed, sent);
    }
  }

  private async sendAgain({ chain, sentAgain }: FollowedChain, sent: Sent): Promise<void> {
    sent.dueBlock = chain.head.latest().number + BigInt(chain.config.resendAfterBlocks);
    const sending = { ...sent.sending, deadlineMs: monotonicClock() + DEADLINE_MS };
    const taken = await chain.bundlers.sendAgain(sending, sent.takenBy);
    if (!taken) return;
    const { bundler } = taken;
    sent.takenBy = [...sent.takenBy.filter((each) => each !== bundler), bundler];
    sentAgain.set(bundler.name, (sentAgain.get(bundler.name) ?? 0) + 1);
  }

  private end({ waiting, fates }: FollowedChain, { sending }: Sent, fate: Fate): void {
    waiting.delete(sending.userOpHash);
    this.characters -= sizeOf(sending);
    fates[fate] += 1;
  }

  private of(chain: ServedChain): FollowedChain {
    const known = this.followed.get(chain.config.chainId);
    if (known) return known;
    const followed = new FollowedChain(chain);
    this.followed.set(chain.config.chainId, followed);
    return followed;
  }
}

const sizeOf = ({ complete: { operation } }: Sent['sending']): number =>
  operation.callData.length + operation.signature.length;

function entryPointsOf({ config }: ServedChain): readonly Address[] {
  return Object.values(config.entryPoints).map(({ entryPoint }) => entryPoint);
}
