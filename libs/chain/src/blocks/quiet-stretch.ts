import { AbiCoder } from 'ethers';
import { DependencyUnavailableError, type Hex } from '@paymaster/domain';
import { stretchWitnessBytecode } from '@paymaster/contract-abis';
import { parseBytes, toQuantity, UnexpectedAnswerError } from '../json-rpc/parse';
import type { AgreedChain } from '../providers/agreed-chain';
import type { AgreedRead } from '../providers/agreement';
import { parseLog, type Log } from '../providers/log';
import { monotonicClock, type MonotonicClock } from '../providers/monotonic-clock';
import { distinctLogs, logsKey } from './distinct-logs';
import { PAYMASTER_EVENTS } from './event-topics';
import type { ServedContracts } from './served-contracts';

/** Contracts know the hashes of so many blocks before theirs. */
const MAX_STRETCH = 256n;
/** So long a stretch's logs are asked for again, because a node may not have had them the first time; milliseconds. */
const LOOK_BACK_MS = 15_000;
/** A chain on which the proof failed is read block by block for so long; milliseconds. */
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

/** What a stretch of blocks turned out to be. */
export type Stretch =
  /** None of our contracts has an event in it, and no deposit of theirs has changed. */
  | { readonly kind: 'quiet' }
  /** A stretch that had been taken for quiet has an event: its blocks, those above this number, have to be read. */
  | { readonly kind: 'missed'; readonly above: bigint }
  /** Its blocks have to be read one by one. */
  | { readonly kind: 'unproven' };

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
 * always changes a deposit, so an index that lacks logs hides none of them.
 */
export class QuietStretches {
  private last: { readonly block: Hex; readonly deposits: Hex } | undefined;
  /** Lately found quiet, oldest first. */
  private skipped: Array<{ readonly after: bigint; readonly upTo: bigint; readonly atMs: number }> = [];
  private restsUntilMs = -Infinity;

  constructor(
    private readonly chain: Pick<AgreedChain, 'read' | 'providerCount'>,
    private readonly contracts: ServedContracts,
    private readonly clock: MonotonicClock = monotonicClock,
  ) {}

  /**
   * The oldest block whose descendants were lately found quiet, if there is one. They may still turn out to have events.
   */
  get certainUpTo(): bigint | undefined {
    return this.skipped[0]?.after;
  }

  /**
   * Looks at the blocks behind `after`, up to and with `upTo`, and again at those that were lately found quiet.
   *
   * @param mayBeQuiet false where these blocks have to be read anyway
   */
  async look({ after, upTo, mayBeQuiet }: Look): Promise<Stretch> {
    const nowMs = this.clock();
    this.skipped = this.skipped.filter(({ upTo: end, atMs }) => end <= after.number && nowMs < atMs + LOOK_BACK_MS);
    const length = upTo.number - after.number;
    const isProvable = mayBeQuiet && length >= 2n && length <= MAX_STRETCH && nowMs >= this.restsUntilMs;
    // A single provider proves nothing.
    if (!isProvable || this.chain.providerCount === 1) return this.lookBack(upTo.number);
    try {
      return await this.prove(after, upTo);
    } catch (error) {
      if (!(error instanceof DependencyUnavailableError)) throw error;
      return this.rest();
    }
  }

  /** Says that the blocks from this one on are read one by one: they do not count as skipped any more. */
  read(from: bigint): void {
    this.skipped = this.skipped.filter(({ upTo }) => upTo < from);
  }

  private async prove(after: Block, upTo: Block): Promise<Stretch> {
    const from = this.skipped[0]?.after ?? after.number;
    const [logs, at, deposits] = await Promise.all([
      this.chain.read(this.logsRead(from + 1n, upTo.number)),
      this.chain.read(this.witnessRead(after.number, upTo.hash)),
      this.last?.block === after.hash ? this.last.deposits : this.depositsAt(after),
    ]);
    if (at.ancestor !== after.hash) return this.rest();
    const missed = this.missedIn(logs);
    if (missed) return missed;
    const stretch = { after: after.number, upTo: upTo.number, atMs: this.clock() };
    if (at.deposits !== deposits || logs.some((log) => isIn(stretch, log))) return { kind: 'unproven' };
    this.last = { block: upTo.hash, deposits };
    this.skipped.push(stretch);
    return { kind: 'quiet' };
  }

  private async lookBack(head: bigint): Promise<Stretch> {
    const [first, last] = [this.skipped[0], this.skipped.at(-1)];
    if (!first || !last || first.after >= head) return { kind: 'unproven' };
    const logs = await this.chain.read(this.logsRead(first.after + 1n, last.upTo < head ? last.upTo : head));
    return this.missedIn(logs) ?? { kind: 'unproven' };
  }

  private missedIn(logs: readonly Log[]): Stretch | undefined {
    const missed = this.skipped.find((stretch) => logs.some((log) => isIn(stretch, log)));
    return missed && { kind: 'missed', above: missed.after };
  }

  private rest(): Stretch {
    this.restsUntilMs = this.clock() + REST_MS;
    return { kind: 'unproven' };
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

  private logsRead(from: bigint, to: bigint): AgreedRead<readonly Log[]> {
    const { paymasters } = this.contracts;
    const filter = { address: paymasters, topics: [Object.values(PAYMASTER_EVENTS)] };
    return {
      method: 'eth_getLogs',
      params: [{ ...filter, fromBlock: toQuantity(from), toBlock: toQuantity(to) }],
      parse: (value) => {
        if (!Array.isArray(value)) throw new UnexpectedAnswerError('eth_getLogs');
        const logs = distinctLogs(value.map(parseLog));
        const range = { after: from - 1n, upTo: to };
        if (!logs.every((log) => this.contracts.concerns(log) && isIn(range, log)))
          throw new UnexpectedAnswerError('eth_getLogs', 'holds a log that was not asked for');
        return logs;
      },
      key: logsKey,
    };
  }
}

function isIn({ after, upTo }: { after: bigint; upTo: bigint }, { blockNumber }: Log): boolean {
  return blockNumber > after && blockNumber <= upTo;
}
