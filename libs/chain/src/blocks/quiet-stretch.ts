import { AbiCoder } from 'ethers';
import { DependencyUnavailableError, type Hex } from '@paymaster/domain';
import { stretchWitnessBytecode } from '@paymaster/contract-abis';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import { parseBytes, toQuantity, UnexpectedAnswerError } from '../json-rpc/parse';
import type { AgreedChain } from '../providers/agreed-chain';
import type { AgreedRead } from '../providers/agreement';
import { parseLog, type Log } from '../providers/log';
import { distinctLogs, logsKey } from './distinct-logs';
import { PAYMASTER_EVENTS } from './event-topics';
import type { ServedContracts } from './served-contracts';

/** A contract can read the hashes of this many blocks before its own. */
const MAX_STRETCH = 256n;
/** Many providers give the logs of this many blocks at once, and few give the logs of many more. */
const MAX_LOG_BLOCKS = 512n;
/** A node may get the logs of a stretch late, so the read that confirms it comes this much later; milliseconds. */
const CONFIRM_AFTER_MS = 15_000;
/** When logs could not be read for this long, blocks that wait to be confirmed are read one by one; milliseconds. */
const UNCONFIRMED_MS = 60_000;
/** After a proof failed or was wrong, the chain is read block by block for this long; milliseconds. */
const REST_MS = 60_000;

interface Block {
  readonly number: bigint;
  readonly hash: Hex;
}

/** Which blocks to look at. */
export interface Look {
  readonly after: Block;
  readonly upTo: Block;
  readonly mayBeQuiet: boolean;
}

/** Blocks above `after`, up to and including `upTo`. */
export interface BlockRange {
  readonly after: bigint;
  readonly upTo: bigint;
}

/** What a stretch of blocks turned out to be. */
export type Stretch =
  /** None of our contracts has an event in it, and no deposit of theirs has changed. */
  | { readonly kind: 'quiet' }
  | MissedStretch
  /** Its blocks have to be read one by one. */
  | { readonly kind: 'unproven' };

/** A stretch in which nothing of ours was found has an event after all, or could not be confirmed for long. */
export interface MissedStretch {
  readonly kind: 'missed';
  /** Blocks above this number have to be read one by one. */
  readonly above: bigint;
}

/** What {@link StretchWitness} answers at a block. */
interface Witness {
  readonly ancestor: Hex;
  /** Digest of what each of our contracts has deposited. */
  readonly deposits: Hex;
}

/**
 * Proves with a few calls that nothing of ours happened in a stretch of blocks, however many it has. More than one
 * provider has to say the same three things: the first block is an ancestor of the last, our contracts have no logs
 * between them, and their deposits in the EntryPoints are the same at both. An operation, a deposit or a withdrawal
 * always changes a deposit, so an index that lacks logs hides none of them. Other events change no deposit, and nodes may
 * have their logs late. So a stretch is certain only when a second read of its logs, some time later, found no log either.
 */
export class QuietStretches {
  private last: { readonly block: Hex; readonly deposits: Hex } | undefined;
  /** Stretches that were found quiet once and are not confirmed yet, oldest first. */
  private unconfirmed: ReadonlyArray<BlockRange & { readonly atMs: number }> = [];
  /** Since when the logs of unconfirmed stretches cannot be read. */
  private failingSinceMs: number | undefined;
  private restsUntilMs = -Infinity;
  /** Blocks up to this one are read one by one, because they were wrongly found quiet. */
  private readUpTo = -1n;

  constructor(
    private readonly chain: Pick<AgreedChain, 'read' | 'providerCount'>,
    private readonly contracts: ServedContracts,
    private readonly clock: MonotonicClock = monotonicClock,
  ) {}

  /**
   * The last certain block: blocks above it were found quiet, but may still have events. Undefined if all are certain.
   */
  get certainUpTo(): bigint | undefined {
    return this.unconfirmed[0]?.after;
  }

  /**
   * Sets the stretches that another process found quiet, or this process before it was restarted. They count as found
   * a moment ago.
   *
   * @param stretches oldest first; they replace the stretches that were known
   */
  doubt(stretches: readonly BlockRange[]): void {
    const atMs = this.clock();
    this.unconfirmed = stretches.map(({ after, upTo }) => ({ after, upTo, atMs }));
  }

  /**
   * Looks at the blocks after `after`, the last block in the books, up to and including `upTo`. If they are provable,
   * it also looks again at stretches that were found quiet once.
   *
   * @param look `mayBeQuiet` is false if these blocks have to be read anyway
   */
  async look(look: Look): Promise<Stretch> {
    this.unconfirmed = this.unconfirmed.filter(({ upTo }) => upTo <= look.after.number);
    return this.isProvable(look) ? this.prove(look) : { kind: 'unproven' };
  }

  /** Looks again at blocks that were found quiet once, if {@link look} did not. They must still be on the chain. */
  async lookBack(): Promise<MissedStretch | undefined> {
    const [first, last] = [this.unconfirmed[0], this.unconfirmed.at(-1)];
    if (!first || !last) return undefined;
    const most = first.after + MAX_LOG_BLOCKS;
    const upTo = last.upTo < most ? last.upTo : most;
    const askedMs = this.clock();
    const logs = await this.answered(this.chain.read(this.logsRead(first.after, upTo)));
    if (logs) return this.confirm(logs, { upTo, askedMs });
    this.failingSinceMs ??= askedMs;
    return askedMs < this.failingSinceMs + UNCONFIRMED_MS ? undefined : this.missed(first);
  }

  /** Says that the blocks from this one on are read one by one: they do not count as quiet any more. */
  read(from: bigint): void {
    this.unconfirmed = this.unconfirmed.filter(({ upTo }) => upTo < from);
  }

  private isProvable({ after, upTo, mayBeQuiet }: Look): boolean {
    const length = upTo.number - after.number;
    const logBlocks = upTo.number - (this.certainUpTo ?? after.number);
    const isShort = length <= MAX_STRETCH && logBlocks <= MAX_LOG_BLOCKS;
    const mayBeTried = this.clock() >= this.restsUntilMs && after.number >= this.readUpTo;
    // A single provider proves nothing.
    return mayBeQuiet && length >= 2n && isShort && mayBeTried && this.chain.providerCount > 1;
  }

  private async prove({ after, upTo }: Look): Promise<Stretch> {
    const askedMs = this.clock();
    const answers = await this.answered(
      Promise.all([
        this.chain.read(this.logsRead(this.certainUpTo ?? after.number, upTo.number)),
        this.chain.read(this.witnessRead(after.number, upTo.hash)),
        this.last?.block === after.hash ? this.last.deposits : this.depositsAt(after),
      ]),
    );
    if (!answers) return this.rest();
    const [logs, at, deposits] = answers;
    if (at.ancestor !== after.hash) return this.rest();
    const missed = this.confirm(logs, { upTo: upTo.number, askedMs });
    if (missed) return missed;
    const stretch = { after: after.number, upTo: upTo.number, atMs: this.clock() };
    if (at.deposits !== deposits || logs.some((log) => isIn(stretch, log))) return { kind: 'unproven' };
    this.last = { block: upTo.hash, deposits };
    this.unconfirmed = [...this.unconfirmed, stretch];
    return { kind: 'quiet' };
  }

  /** Takes the logs of all blocks from the first unconfirmed stretch up to a block. */
  private confirm(logs: readonly Log[], read: { upTo: bigint; askedMs: number }): MissedStretch | undefined {
    this.failingSinceMs = undefined;
    const missed = this.unconfirmed.find((stretch) => logs.some((log) => isIn(stretch, log)));
    if (missed) return this.missed(missed);
    this.unconfirmed = this.unconfirmed.filter(
      ({ upTo, atMs }) => upTo > read.upTo || read.askedMs < atMs + CONFIRM_AFTER_MS,
    );
    return undefined;
  }

  private missed({ after }: BlockRange): MissedStretch {
    this.rest();
    this.failingSinceMs = undefined;
    this.readUpTo = this.unconfirmed.at(-1)?.upTo ?? after;
    return { kind: 'missed', above: after };
  }

  private rest(): Stretch {
    this.restsUntilMs = this.clock() + REST_MS;
    return { kind: 'unproven' };
  }

  /** @returns undefined when too few providers agree */
  private async answered<T>(answers: Promise<T>): Promise<T | undefined> {
    try {
      return await answers;
    } catch (error) {
      if (error instanceof DependencyUnavailableError) return undefined;
      throw error;
    }
  }

  private async depositsAt({ number, hash }: Block): Promise<Hex> {
    return (await this.chain.read(this.witnessRead(number, hash))).deposits;
  }

  private witnessRead(ancestor: bigint, blockHash: Hex): AgreedRead<Witness> {
    const { all } = this.contracts;
    const args = [ancestor, all.map(({ entryPoint }) => entryPoint), all.map(({ paymaster }) => paymaster)];
    const types = ['uint256', 'address[]', 'address[]'];
    const data = `${stretchWitnessBytecode}${AbiCoder.defaultAbiCoder().encode(types, args).slice(2)}`;
    return {
      method: 'eth_call',
      params: [{ data }, { blockHash }],
      parse: (value) => {
        const answer = parseBytes(value, 'eth_call').toLowerCase();
        if (answer.length !== 2 + 3 * 64) throw new UnexpectedAnswerError('eth_call');
        return { ancestor: `0x${answer.slice(66, 130)}`, deposits: `0x${answer.slice(130)}` };
      },
      key: ({ ancestor: hash, deposits }) => `${hash} ${deposits}`,
    };
  }

  private logsRead(after: bigint, upTo: bigint): AgreedRead<readonly Log[]> {
    const { paymasters } = this.contracts;
    const filter = { address: paymasters, topics: [Object.values(PAYMASTER_EVENTS)] };
    return {
      method: 'eth_getLogs',
      params: [{ ...filter, fromBlock: toQuantity(after + 1n), toBlock: toQuantity(upTo) }],
      parse: (value) => {
        if (!Array.isArray(value)) throw new UnexpectedAnswerError('eth_getLogs');
        const logs = distinctLogs(value.map(parseLog));
        if (!logs.every((log) => this.contracts.concerns(log) && isIn({ after, upTo }, log)))
          throw new UnexpectedAnswerError('eth_getLogs', 'holds a log that was not asked for');
        return logs;
      },
      key: logsKey,
    };
  }
}

function isIn({ after, upTo }: BlockRange, { blockNumber }: Log): boolean {
  return blockNumber > after && blockNumber <= upTo;
}
