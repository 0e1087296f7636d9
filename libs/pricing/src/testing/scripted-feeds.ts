import type { Address, Hex } from '@paymaster/domain';
import type { ContractCall, ContractReader } from '../sources/feed/contract-reader';

/** The answer of a feed contract. */
export interface ScriptedRound {
  readonly answer: bigint;
  readonly decimals?: number;
  readonly roundId?: bigint;
  readonly startedAt?: number;
  readonly updatedAt: number;
  readonly answeredInRound?: bigint;
}

/** A chain that has only price feeds, whose answers the test sets. An address without a round has no code. */
export class ScriptedFeeds implements ContractReader {
  /** Calls received, as `address selector`. */
  readonly calls: string[] = [];
  /** When true, no node answers. */
  isDown = false;
  private readonly hanging = new Set<Address>();
  private readonly rounds = new Map<Address, ScriptedRound>();

  set(feed: Address, round: ScriptedRound): this {
    this.rounds.set(feed, round);
    return this;
  }

  /** Reads of this feed never end. */
  hang(feed: Address): this {
    this.hanging.add(feed);
    return this;
  }

  async ethCall<T>(call: ContractCall, parse: (returned: unknown) => T): Promise<T> {
    this.calls.push(`${call.to} ${call.data}`);
    if (this.hanging.has(call.to)) return new Promise(() => undefined);
    if (this.isDown) throw new Error('no node answers');
    const round = this.rounds.get(call.to);
    if (!round) return parse('0x');
    const { answer, decimals = 8, roundId = 1n, updatedAt, startedAt = updatedAt, answeredInRound = roundId } = round;
    if (call.data === '0x313ce567') return parse(words(BigInt(decimals)));
    return parse(words(roundId, answer, BigInt(startedAt), BigInt(updatedAt), answeredInRound));
  }
}

function words(...values: bigint[]): Hex {
  return `0x${values.map((value) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')).join('')}`;
}
