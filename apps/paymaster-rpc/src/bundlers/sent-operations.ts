import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { BundlerEndpoint, Sending } from '@paymaster/chain';
import { BundlerRefusedError, type Address, type Hex } from '@paymaster/domain';
import type { Ledger, SentChange } from '@paymaster/ledger';
import { monotonicClock } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';
import { LEDGER } from '../chains/open-gateway-ledger';
import type { ServedChain } from '../chains/served-chain';
import { ServedChains } from '../chains/served-chains';
import { landedAmong, SEARCHED_BLOCKS } from './receipts';
import { fromLeft, identityOf, toText, type OurOperation } from './sent-operation';

/** How often operations that are due are looked for; milliseconds. */
const LOOK_MS = 1_000;
/** How long one question may take; milliseconds. */
const DEADLINE_MS = 5_000;
/** How long one look sends operations again. Operations that are left over are due in the next look. Milliseconds. */
const RESEND_MS = 10_000;
const RESENDS_AT_ONCE = 8;
/** The most operations, and characters of them, that are followed on a chain. More operations are not sent again. */
const MOST = { operations: 10_000, characters: 50_000_000 };
const OF_ONE_PAYMASTER = 4;
/** The most operations in one question to a node. */
const ASKED_AT_ONCE = 100;
/** No operation is followed longer, whatever its data say; seconds. */
const LONGEST_SECONDS = 3_600;
/** How long an operation is looked for after its signature has ended, because a node may lag; seconds. */
const GRACE_SECONDS = 15;
/** While the node does not answer, an operation is given up this long after its signature has ended; seconds. */
const UNKNOWN_AFTER_SECONDS = 120;
/**
 * When bundlers have refused an operation's nonce this often, in different rounds, and no block has the operation,
 * another operation has replaced it.
 */
const NONCE_REFUSALS = 2;
/** The most landed operations that this process remembers. */
const REMEMBERED = 20_000;
/** How often this process says that it is alive, and takes over operations of others; milliseconds. */
const TAKE_OVER_MS = 5_000;
/** The most operations that it takes over at a time. The other processes take the rest. */
const TAKEN_OVER_AT_ONCE = 500;
/**
 * The most events that are told of one operation, besides its end. Otherwise two bundlers that drop it in turn could
 * fill the event stream.
 */
const MOST_TOLD = 20;
/** The least time between two told refusals of one operation by the same bundler; milliseconds. */
const REFUSAL_MS = 10_000;
/** How long an answer of the ledger about one operation is used; milliseconds. */
const LOOK_UP_MS = 2_000;
/** The most clients that may wait for the ledger's answers. */
const MOST_LOOK_UPS = 16;

/**
 * What became of operations that bundlers took: landed; expired; replaced by an operation with the same nonce; unknown,
 * because the node did not answer; unfollowed, because too many operations were followed.
 */
const FATES = ['landed', 'expired', 'replaced', 'unknown', 'unfollowed'] as const;
export type Fate = (typeof FATES)[number];

/** Why an operation never landed; a sentence for the paymaster's owner. */
const WHY_DROPPED: Readonly<Partial<Record<Fate, string>>> = {
  expired: "The paymaster's signature ended before a block had the operation.",
  replaced: 'The nonce is used: another operation of the account took its place.',
};
const FEE_TOO_LOW = "It offers less than the chain's base fee.";

/** An operation of our paymasters that a bundler took. */
interface Sent extends OurOperation {
  /** The chain's head before it was sent. */
  readonly sinceBlock: bigint;
  /** The name of the bundler that took it last, also if the operator has removed it since. */
  bundler: string;
  /** What was told last, and how many events were told. */
  told: { readonly what: string; readonly times: number };
  readonly size: number;
  takenBy: readonly BundlerEndpoint[];
  /**
   * When it is looked for: at this block, or at this time of the monotonic clock. If it is in no block then, it is sent
   * again.
   */
  due: { readonly block: bigint; readonly ms: number };
  /**
   * How often a bundler said that the nonce is used, that the operation with the nonce before has not landed, or that
   * the account exists already.
   */
  nonceRefusals: number;
}

/** An event of an operation. By default its bundler is the bundler that took the operation last. */
type Told = Pick<SentChange, 'state'> & { readonly bundler?: string; readonly message?: string | null };

/** How many operations are followed, and their characters. */
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

  constructor(
    readonly chain: ServedChain,
    private readonly ledger: Pick<Ledger, 'recordSent'>,
  ) {}

  add(sent: Sent): boolean {
    const { paymasterId, size } = sent;
    const own = this.ofPaymasters.get(paymasterId) ?? { operations: 0, characters: 0 };
    if (isFull(this.load, size, 1) || isFull(own, size, OF_ONE_PAYMASTER)) return false;
    this.waiting.set(sent.sending.userOpHash, sent);
    this.ofPaymasters.set(paymasterId, own);
    for (const load of [this.load, own]) change(load, { operations: 1, characters: size });
    return true;
  }

  /** Records what a bundler did. The same fact is recorded once. */
  tell(sent: Sent, { state, bundler = sent.bundler, message = null }: Told): void {
    const what = [state, bundler, message].join('\n');
    const isEnd = !['sent', 'waiting', 'bundlerRefused'].includes(state);
    if (what === sent.told.what || (sent.told.times >= MOST_TOLD && !isEnd)) return;
    sent.told = { what, times: sent.told.times + 1 };
    const { sinceBlock, validUntilSeconds, takenBy } = sent;
    this.ledger.recordSent({
      ...{ ...identityOf(this.chain, sent), state, bundler, message, sinceBlock, validUntilSeconds },
      bundlers: takenBy.map(({ name }) => name),
      ...(state === 'sent' && { operation: toText(sent.sending) }),
    });
  }

  end(sent: Sent, fate: Fate): void {
    const { sending, paymasterId, size } = sent;
    if (!this.waiting.delete(sending.userOpHash)) return;
    this.fates[fate] += 1;
    const message = WHY_DROPPED[fate];
    this.tell(sent, message ? { state: 'dropped', message } : { state: fate === 'landed' ? fate : 'unknown' });
    if (fate === 'landed') this.landed.set(sending.userOpHash, true);
    const own = this.ofPaymasters.get(paymasterId)!;
    for (const load of [this.load, own]) change(load, { operations: -1, characters: -size });
    if (own.operations === 0) this.ofPaymasters.delete(paymasterId);
  }
}

/**
 * Follows the operations of our paymasters that bundlers took, until they land or our signature ends. If the chain's
 * next blocks do not have an operation, it is sent to the next bundler. Then it may be in two pools. Its nonce lets it
 * land only once, so the most that this costs is a bundle that fails. The ledger has a row for each followed operation,
 * so that another process goes on when this process ends.
 */
@Injectable()
export class SentOperations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly followed = new Map<number, FollowedChain>();
  private readonly refusals = new LRUCache<string, true>({ max: REMEMBERED, ttl: REFUSAL_MS });
  private readonly lookedUp = new LRUCache<string, { found: 'followed' | 'dropped' | undefined }>({
    ...{ max: REMEMBERED, ttl: LOOK_UP_MS },
  });
  private lastLookUp: ReturnType<Ledger['findSent']> = Promise.resolve(undefined);
  private lookUps = 0;
  private timers: readonly NodeJS.Timeout[] = [];
  private takingOver: Promise<void> | undefined;

  constructor(
    @Inject(LEDGER) private readonly ledger: Pick<Ledger, 'recordSent' | 'takeOverSent' | 'findSent'>,
    @Inject(ServedChains) private readonly chains: Pick<ServedChains, 'all'>,
  ) {}

  onApplicationBootstrap(): void {
    this.timers = [
      setInterval(() => void this.look(), LOOK_MS).unref(),
      setInterval(() => void this.takeOver(), TAKE_OVER_MS).unref(),
    ];
    void this.takeOver();
  }

  async onApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.takingOver;
  }

  /**
   * Begins to follow an operation that a bundler took just now. A second call for the same operation changes nothing.
   *
   * @param sinceBlock the head before it was sent; undefined when the chain had not been read
   */
  follow(
    chain: ServedChain,
    operation: OurOperation & { readonly takenBy: BundlerEndpoint; readonly sinceBlock: bigint | undefined },
  ): void {
    const followed = this.of(chain);
    const { sending, takenBy, sinceBlock } = operation;
    if (followed.waiting.has(sending.userOpHash)) return;
    const sent = sinceBlock !== undefined && begin(followed, { ...operation, sinceBlock, takenBy: [takenBy] });
    if (sent) followed.tell(sent, { state: 'sent' });
    else followed.fates.unfollowed += 1;
  }

  /** Records that a bundler refused an operation that no bundler has taken. */
  refused(chain: ServedChain, operation: OurOperation, by: BundlerEndpoint, { message }: BundlerRefusedError): void {
    const { userOpHash } = operation.sending;
    const key = [chain.config.chainId, userOpHash, by.name].join();
    if (this.isAlive(chain, userOpHash) || this.refusals.has(key)) return;
    this.refusals.set(key, true);
    const { validUntilSeconds } = operation;
    this.ledger.recordSent({
      ...{ ...identityOf(chain, operation), state: 'bundlerRefused', bundler: by.name, bundlers: [], message },
      ...{ sinceBlock: 0n, validUntilSeconds },
    });
  }

  /** Takes over the operations of processes that have ended. Never rejects. */
  takeOver(): Promise<void> {
    this.takingOver ??= this.takeOverNow()
      .catch(() => undefined)
      .finally(() => (this.takingOver = undefined));
    return this.takingOver;
  }

  /** Whether the operation may still land or has landed, so that its client must not take it for lost. */
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

  /**
   * Whether another gateway process follows an operation, or gave it up within the hour. Undefined: neither, or the
   * ledger does not answer. The ledger gets one question at a time, and only few callers may wait, because signatures
   * need its connections.
   */
  async elsewhere(chain: ServedChain, userOpHash: Hex): Promise<'followed' | 'dropped' | undefined> {
    const key = [chain.config.chainId, userOpHash].join();
    const known = this.lookedUp.get(key);
    if (known) return known.found;
    if (this.lookUps >= MOST_LOOK_UPS) return undefined;
    this.lookUps += 1;
    const lookUp = this.lastLookUp.then(() => this.ledger.findSent(chain.config.chainId, userOpHash));
    this.lastLookUp = lookUp.catch(() => undefined);
    const found = await this.lastLookUp;
    this.lookUps -= 1;
    this.lookedUp.set(key, { found });
    return found;
  }

  /** For metrics. */
  ofChains(): ReadonlyArray<Pick<FollowedChain, 'fates' | 'sentAgain' | 'waiting' | 'chain'>> {
    return [...this.followed.values()];
  }

  /** Looks for the operations that are due on each chain. If a chain does not answer, the next look asks it again. */
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

  private async takeOverNow(): Promise<void> {
    const chains = new Map([...this.chains.all()].filter(isRead).map((chain) => [chain.config.chainId, chain]));
    for (const left of await this.ledger.takeOverSent([...chains.keys()], TAKEN_OVER_AT_ONCE)) {
      const followed = this.of(chains.get(left.chainId)!);
      if (followed.waiting.has(left.userOpHash)) continue;
      const operation = fromLeft(followed.chain, left);
      const { sinceBlock, bundlers } = left;
      const isFollowed = operation && begin(followed, { ...operation, sinceBlock, bundler: bundlers.at(-1) });
      if (!isFollowed) followed.fates.unfollowed += 1;
    }
  }

  private async lookAt(followed: FollowedChain): Promise<void> {
    const { chain, waiting } = followed;
    const { number } = chain.head.latest();
    const now = monotonicClock();
    const due = [...waiting.values()].filter((sent) => sent.due.block <= number || sent.due.ms <= now);
    for (let at = 0; at < due.length; at += ASKED_AT_ONCE) await lookFor(due.slice(at, at + ASKED_AT_ONCE), followed);
    const left = due.filter(({ sending }) => waiting.has(sending.userOpHash));
    // Operations that were sent least often go first, so that operations that never land do not delay the others.
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
    const followed = new FollowedChain(chain, this.ledger);
    this.followed.set(chain.config.chainId, followed);
    return followed;
  }
}

/** Whether the head of a chain is known. */
const isRead = ({ head }: ServedChain): boolean => Number.isFinite(head.ageSeconds());

/** Begins to follow an operation. @returns undefined when too many operations are followed */
function begin(
  followed: FollowedChain,
  operation: Pick<Sent, keyof OurOperation | 'sinceBlock' | 'takenBy'> & { readonly bundler?: string | undefined },
): Sent | undefined {
  const { chain } = followed;
  const { sending, sinceBlock, takenBy, bundler = takenBy.at(-1)?.name ?? '' } = operation;
  const sent: Sent = {
    ...{ ...operation, bundler, told: { what: '', times: 0 } },
    validUntilSeconds: Math.min(operation.validUntilSeconds, chain.head.nowSeconds() + LONGEST_SECONDS),
    size: sizeOf(sending),
    due: dueAfter(chain, sinceBlock),
    nonceRefusals: 0,
  };
  return followed.add(sent) ? sent : undefined;
}

/** Ends operations that have landed or can no longer land. Never rejects. */
async function lookFor(due: readonly Sent[], followed: FollowedChain): Promise<void> {
  const { chain } = followed;
  const sinceBlock = due.map((sent) => sent.sinceBlock).reduce((one, other) => (one < other ? one : other));
  // The search begins some blocks earlier: when a client sends an operation a second time, a bundler may have landed it
  // before.
  const oldest = sinceBlock - BigInt(chain.config.resendAfterBlocks);
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

/** Sends an operation again, if it offers at least the base fee and its validation does not fail now. Never rejects. */
async function sendAgain(followed: FollowedChain, sent: Sent): Promise<void> {
  const { chain, sentAgain } = followed;
  const head = chain.head.latest();
  sent.due = dueAfter(chain, head.number);
  const { operation } = sent.sending.complete;
  if (sent.validUntilSeconds <= chain.head.nowSeconds()) return;
  if (operation.maxFeePerGas < head.baseFeePerGasWei) {
    followed.tell(sent, { state: 'waiting', message: FEE_TOO_LOW });
    return;
  }
  let isRefused = false;
  const onRefused: Sending['onRefused'] = ({ name: bundler }, { message }) => {
    isRefused = true;
    followed.tell(sent, { state: 'bundlerRefused', bundler, message });
  };
  const sending = { ...sent.sending, deadlineMs: monotonicClock() + DEADLINE_MS, onRefused };
  // If the validation cannot be tried, the bundler's own simulation decides.
  const fault = await chain.validationTrial.refusal(sending).catch(() => undefined);
  if (fault) {
    followed.tell(sent, { state: 'waiting', message: fault.message });
    return;
  }
  try {
    const taken = await chain.bundlers.sendAgain(sending, sent.takenBy);
    if (!taken) {
      if (!isRefused) followed.tell(sent, { state: 'waiting' });
      return;
    }
    const { bundler } = taken;
    sent.takenBy = [...sent.takenBy.filter((each) => each !== bundler), bundler];
    sent.bundler = bundler.name;
    sentAgain.set(bundler.name, (sentAgain.get(bundler.name) ?? 0) + 1);
    followed.tell(sent, { state: 'sent' });
  } catch (error) {
    if (error instanceof BundlerRefusedError) sent.nonceRefusals += 1;
  }
}

/** Due after some blocks, or after twice their time on a chain that makes no blocks without transactions. */
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

/** How many characters its parts have. */
function sizeOf({ complete: { operation, paymaster } }: Sent['sending']): number {
  const values: unknown[] = [...Object.values({ ...operation }), ...Object.values({ ...paymaster })];
  return values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}
