import type { ChainReads } from '@paymaster/chain';
import { delegateIn, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { compileKnownImplementations, implementationSlotOf, isKnownAccount } from '@paymaster/policy';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 50_000;
/** An account may be upgraded by its owner, so an answer is believed for this long; milliseconds. */
const REMEMBERED_MS = 60_000;

interface Delegation {
  readonly delegate: Address | undefined;
}

const WORD = /^0x0{24}([0-9a-f]{40})$/;

/**
 * What deployed accounts run: whether that is a known proxy in front of a known implementation, and whose code it is
 * by EIP-7702. Remembered per sender. `deadlineMs` is that of the request which is asked for, by the monotonic clock.
 */
export class AccountImplementations {
  private readonly known = compileKnownImplementations();
  private readonly answers = new LRUCache<Address, boolean>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  private readonly delegates = new LRUCache<Address, Delegation>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(private readonly provider: Pick<ChainReads, 'storageAt' | 'code' | 'transactionCount'>) {}

  /** @throws {DependencyUnavailableError} `chain`, when it cannot be read */
  async isKnown(sender: Address, deadlineMs?: number): Promise<boolean> {
    const remembered = this.answers.get(sender);
    if (remembered !== undefined) return remembered;
    const isKnown = await this.read(sender, deadlineMs);
    this.answers.set(sender, isKnown);
    return isKnown;
  }

  /**
   * Whose code the account runs by EIP-7702; undefined where it does not delegate. Costs nothing where `isKnown` was
   * asked just before.
   *
   * @throws {DependencyUnavailableError} `chain`, when it cannot be read
   */
  async delegateOf(sender: Address, deadlineMs?: number): Promise<Address | undefined> {
    const remembered = this.delegates.get(sender);
    if (remembered) return remembered.delegate;
    return delegateIn(await this.code(sender, deadlineMs));
  }

  /** The same as the chain says it now, for an operation that says that its account delegates. */
  async currentDelegateOf(sender: Address, deadlineMs?: number): Promise<Address | undefined> {
    return delegateIn(await this.code(sender, deadlineMs));
  }

  /** The nonce of the account's next transaction or EIP-7702 authorization. @throws {DependencyUnavailableError} */
  nonceOf(sender: Address, deadlineMs?: number): Promise<bigint> {
    return this.provider.transactionCount(sender, deadlineMs);
  }

  /** The code first: only a known proxy's storage says anything about what the account does. */
  private async read(sender: Address, deadlineMs: number | undefined): Promise<boolean> {
    const code = await this.code(sender, deadlineMs);
    const slot = implementationSlotOf({ account: sender, code });
    if (slot === undefined) return false;
    const implementation = parseAddressWord(await this.provider.storageAt({ address: sender, slot }, deadlineMs));
    return isKnownAccount({ code, implementation, known: this.known });
  }

  private async code(sender: Address, deadlineMs: number | undefined): Promise<Hex> {
    const code = await this.provider.code(sender, deadlineMs);
    this.delegates.set(sender, { delegate: delegateIn(code) });
    return code;
  }
}

function parseAddressWord(word: Hex): Address | undefined {
  const digits = WORD.exec(word)?.[1];
  return digits === undefined ? undefined : normalizeAddress(`0x${digits}`);
}
