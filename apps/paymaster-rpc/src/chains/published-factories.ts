import type { ChainReads } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import type { KnownAccountFactory } from '@paymaster/policy';
import type { MonotonicClock } from '@paymaster/turns';
import { keccak256 } from 'ethers';

/** How long an answer is used, because the owner of a factory may change what it deploys; milliseconds. */
const USED_FOR_MS = 60_000;
/** The age from which on the chain is asked again in the background, so that no request has to wait; milliseconds. */
const REFRESHED_AFTER_MS = 30_000;

interface Answer {
  readonly isPublished: boolean;
  /** Milliseconds of the monotonic clock, before the chain was asked. */
  readonly readAtMs: number;
}

/**
 * Finds out whether the chain has the published code at the address of a factory, and whether that factory deploys what
 * its family says. An answer is at most a minute old. In that time each factory is read once for all clients, so
 * clients can't use up the node's quota.
 */
export class PublishedFactories {
  private readonly answers = new Map<Address, Answer>();
  private readonly reads = new Map<Address, Promise<Answer>>();

  constructor(
    private readonly provider: Pick<ChainReads, 'code' | 'storageAt'>,
    private readonly options: {
      /** Hashes of code for which the operator vouches. */
      readonly codeHashes: ReadonlySet<Hex>;
      readonly clock?: MonotonicClock;
    },
  ) {}

  /**
   * @param factory a factory with the code that the chain must have
   * @throws {DependencyUnavailableError} `chain`, when it cannot be read
   * @throws {RequestTimedOutError} when the deadline is over
   */
  async isPublished(factory: KnownAccountFactory, deadlineMs: number): Promise<boolean> {
    const known = this.answers.get(factory.address);
    const age = known ? this.now() - known.readAtMs : Infinity;
    if (known && age < USED_FOR_MS) {
      // A read that fails is tried again by the next request, and by then the answer may be too old.
      if (age >= REFRESHED_AFTER_MS) void this.read(factory).catch(() => undefined);
      return known.isPublished;
    }
    return (await this.read(factory, deadlineMs)).isPublished;
  }

  private read(factory: KnownAccountFactory, deadlineMs?: number): Promise<Answer> {
    const { address } = factory;
    const underWay = this.reads.get(address);
    if (underWay) return underWay;
    const readAtMs = this.now();
    const read = this.ask(factory, deadlineMs)
      .then((isPublished) => {
        const answer = { isPublished, readAtMs };
        this.answers.set(address, answer);
        return answer;
      })
      .finally(() => this.reads.delete(address));
    this.reads.set(address, read);
    return read;
  }

  private async ask({ address, onChain }: KnownAccountFactory, deadlineMs?: number): Promise<boolean> {
    if (!onChain) return true;
    const { codeHash, pointer } = onChain;
    const found = keccak256(await this.provider.code(address, deadlineMs)) as Hex;
    // The operator vouches for all that such code does, so its storage is not read: the slot has a meaning only for the
    // published code.
    if (this.options.codeHashes.has(found)) return true;
    if (found !== codeHash) return false;
    if (!pointer) return true;
    return (
      BigInt(await this.provider.storageAt({ address, slot: pointer.slot }, deadlineMs)) === BigInt(pointer.address)
    );
  }

  private now(): number {
    return (this.options.clock ?? (() => performance.now()))();
  }
}
