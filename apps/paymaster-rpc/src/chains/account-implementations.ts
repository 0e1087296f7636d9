import type { ChainProvider } from '@paymaster/chain';
import { normalizeAddress, type Address } from '@paymaster/domain';
import { compileKnownImplementations, implementationSlotOf, isKnownAccount } from '@paymaster/policy';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 50_000;
/** An account may be upgraded by its owner, so an answer is believed for this long; milliseconds. */
const REMEMBERED_MS = 60_000;

const WORD = /^0x0{24}([0-9a-f]{40})$/;

/** Whether a deployed account is a known proxy in front of a known implementation; remembered per sender. */
export class AccountImplementations {
  private readonly known = compileKnownImplementations();
  private readonly answers = new LRUCache<Address, boolean>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(private readonly provider: Pick<ChainProvider, 'ask' | 'code'>) {}

  /** @throws {DependencyUnavailableError} `chain`, when it cannot be read */
  async isKnown(sender: Address): Promise<boolean> {
    const remembered = this.answers.get(sender);
    if (remembered !== undefined) return remembered;
    const isKnown = await this.read(sender);
    this.answers.set(sender, isKnown);
    return isKnown;
  }

  /** The code first: only a known proxy's storage says anything about what the account does. */
  private async read(sender: Address): Promise<boolean> {
    const code = await this.provider.code(sender);
    const slot = implementationSlotOf({ account: sender, code });
    if (slot === undefined) return false;
    const implementation = await this.provider.ask('eth_getStorageAt', [sender, slot, 'latest'], parseAddressWord);
    return isKnownAccount({ code, implementation, known: this.known });
  }
}

function parseAddressWord(word: unknown): Address | undefined {
  const digits = WORD.exec(String(word).toLowerCase())?.[1];
  return digits === undefined ? undefined : normalizeAddress(`0x${digits}`);
}
