import type { ChainProvider } from '@paymaster/chain';
import { normalizeAddress, type Address } from '@paymaster/domain';
import { compileKnownImplementations } from '@paymaster/policy';
import { LRUCache } from 'lru-cache';

/** bytes32(uint256(keccak256('eip1967.proxy.implementation')) - 1) */
const ERC1967_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
/** Where a Safe keeps its singleton. */
const FIRST_SLOT = `0x${'00'.repeat(32)}`;
const MAX_REMEMBERED = 50_000;
/** An account may be upgraded by its owner, so a yes is believed for this long; milliseconds. */
const REMEMBERED_MS = 60_000;

const WORD = /^0x0{24}([0-9a-f]{40})$/;

/** Whether a deployed account points to an implementation that is known; remembered per sender. */
export class AccountImplementations {
  private readonly known = compileKnownImplementations();
  private readonly answers = new LRUCache<Address, boolean>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(private readonly provider: Pick<ChainProvider, 'ask'>) {}

  /** @throws {DependencyUnavailableError} `chain`, when it cannot be read */
  async isKnown(sender: Address): Promise<boolean> {
    const remembered = this.answers.get(sender);
    if (remembered !== undefined) return remembered;
    // Biconomy's proxies keep theirs in the slot that is their own address.
    const slots = [ERC1967_SLOT, FIRST_SLOT, `0x${sender.slice(2).padStart(64, '0')}`];
    const words = await Promise.all(slots.map((slot) => this.read(sender, slot)));
    const isKnown = words.some((address) => address !== undefined && this.known.has(address));
    this.answers.set(sender, isKnown);
    return isKnown;
  }

  private read(sender: Address, slot: string): Promise<Address | undefined> {
    return this.provider.ask('eth_getStorageAt', [sender, slot, 'latest'], (word) => {
      const digits = WORD.exec(String(word).toLowerCase())?.[1];
      return digits === undefined ? undefined : normalizeAddress(`0x${digits}`);
    });
  }
}
