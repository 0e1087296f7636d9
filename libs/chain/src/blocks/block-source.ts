import { DependencyUnavailableError, type ChainEvent, type Hex } from '@paymaster/domain';
import type { MonotonicClock } from '@paymaster/turns';
import type { ChainConfig } from '../chains/chain-config';
import type { AgreedChain } from '../providers/agreed-chain';
import type { BlockHeader } from '../providers/block-header';
import { assembleEvents } from './assemble-events';
import { BlockLogs } from './block-logs';
import { contractNotices, type ContractNotice } from './contract-notices';
import { mapBounded } from './map-bounded';
import { QuietStretches, type BlockRange, type Look, type MissedStretch, type Stretch } from './quiet-stretch';
import { ServedContracts } from './served-contracts';

const CONCURRENT_HEADERS = 16;

/** A block with everything in it that concerns the books, in order of log index. */
export interface BlockEvents {
  readonly block: Omit<BlockHeader, 'logsBloom' | 'baseFeePerGasWei'>;
  readonly events: readonly ChainEvent[];
  /** Events that move no money but must be reported to people. */
  readonly notices: readonly ContractNotice[];
}

/** A block's place in the chain. */
export type BlockPlace = BlockEvents['block'];

/** The chain was reorganised during the read, or nodes of both branches answered: ask again. */
export class ChainMovedError extends DependencyUnavailableError {
  constructor(chainId: number, number: bigint) {
    super('chain', `chain ${chainId}: block ${number} is not the child of the block before it`);
    this.name = 'ChainMovedError';
  }
}

/**
 * A chain as the books see it: block after block, each with the events that move money or use up a nonce. Every answer
 * is complete and agreed by the chain's providers; otherwise the read throws.
 */
export class BlockSource {
  private readonly contracts: ServedContracts;
  private readonly logs: BlockLogs;
  private readonly stretches: QuietStretches;
  /** Up to this block whole ranges are read, because these blocks are not replaced any more. */
  private finalNumber: bigint | undefined;

  constructor(
    private readonly chain: AgreedChain,
    config: Pick<ChainConfig, 'entryPoints'>,
    options: { onFault?: (error: Error) => void; clock?: MonotonicClock } = {},
  ) {
    this.contracts = new ServedContracts(config.entryPoints);
    this.logs = new BlockLogs(chain, this.contracts, options.onFault ?? (() => undefined));
    this.stretches = new QuietStretches(chain, this.contracts, options.clock);
  }

  /**
   * The highest block that enough providers know. A lower block than before is no reorg by itself: compare hashes.
   *
   * @throws {DependencyUnavailableError} `chain`
   */
  async head(): Promise<BlockPlace> {
    return placeOf(await this.chain.head());
  }

  /** Whether in their last answers no provider named a higher block, not even a single provider. */
  isNewest({ number }: Pick<BlockPlace, 'number'>): boolean {
    return this.chain.status().every(({ headNumber }) => headNumber === null || headNumber <= number);
  }

  /** The newest final block, by the chain's `finality`. Throws like {@link head}. */
  async final(): Promise<BlockPlace> {
    const final = await this.chain.final();
    this.finalNumber = final.number;
    return placeOf(final);
  }

  /** A block by its number or hash, or undefined when there is no such block. Throws like {@link head}. */
  async header(block: bigint | Hex): Promise<BlockPlace | undefined> {
    const header = await this.chain.header(block);
    return header && placeOf(header);
  }

  /**
   * The blocks of a range, both ends included, in order, each the child of the block before it. The caller has to check
   * that the first block is the child of the last applied block: if not, the chain was reorganised. Ask for some
   * hundreds at most.
   *
   * @throws {ChainMovedError} when the chain was reorganised meanwhile
   * @throws {IncompleteOperationError} when events of an operation are missing at all providers
   * @throws {DependencyUnavailableError} `chain`, also where a block is not known yet
   */
  async blocks(from: bigint, to: bigint): Promise<readonly BlockEvents[]> {
    if (to < from) return [];
    this.stretches.read(from);
    const finalNumber = this.finalNumber ?? (await this.final()).number;
    const numbers = Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));
    const headers = await mapBounded(numbers, CONCURRENT_HEADERS, (number) => this.knownHeader(number));
    for (const [index, header] of headers.entries())
      if (index > 0 && header.parentHash !== headers[index - 1]!.hash)
        throw new ChainMovedError(this.chain.chainId, header.number);
    const old = headers.filter(({ number }) => number <= finalNumber);
    const recent = headers.filter(({ number }) => number > finalNumber);
    const read = [...(await this.logs.read(old, 'range')), ...(await this.logs.read(recent, 'hash'))];
    return read.map(({ header, logs }) => ({
      ...{ block: placeOf(header), events: assembleEvents(logs, this.contracts), notices: contractNotices(logs) },
    }));
  }

  /**
   * Whether nothing of ours happened after the block `after`, up to and including `upTo`. It needs only a few calls for
   * all these blocks together. It says nothing of operations of other paymasters. If the answer is `unproven` and the
   * books' blocks are still on the chain, call {@link lookBack} too.
   *
   * @throws {DependencyUnavailableError} `chain`
   */
  stretch(look: Look): Promise<Stretch> {
    return this.stretches.look(look);
  }

  /**
   * Reads the logs of blocks again in which it found nothing of ours.
   *
   * @returns the block after which blocks have to be read one by one after all; undefined if there is none
   */
  lookBack(): Promise<MissedStretch | undefined> {
    return this.stretches.lookBack();
  }

  /**
   * Tells this process which blocks the books left out, oldest first. They are not certain, and are read a second time.
   */
  doubt(stretches: readonly BlockRange[]): void {
    this.stretches.doubt(stretches);
  }

  /**
   * The last certain block: blocks above it were found quiet, but may still have events. Undefined if all are certain.
   */
  get certainUpTo(): bigint | undefined {
    return this.stretches.certainUpTo;
  }

  private async knownHeader(number: bigint): Promise<BlockHeader> {
    const header = await this.chain.header(number);
    if (header) return header;
    throw new DependencyUnavailableError('chain', `chain ${this.chain.chainId} has no block ${number} yet`);
  }
}

function placeOf({ number, hash, parentHash, timeSeconds }: BlockHeader): BlockPlace {
  return { number, hash, parentHash, timeSeconds };
}
