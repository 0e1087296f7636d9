import { Injectable } from '@nestjs/common';
import { ChainProvider } from '@paymaster/chain';
import { DependencyUnavailableError, type Address } from '@paymaster/domain';
import { SupportedChains } from '../../platform/chains/supported-chains';

/** An answer that comes later is not waited for; milliseconds. */
const SETTINGS = { callTimeoutMs: 1_000, totalTimeoutMs: 2_000 };

/** Whether there is a contract where an owner says so. It only warns, because contracts may be deployed later. */
@Injectable()
export class ContractCode {
  /** Kept, so that a chain that does not answer is not asked again for a while. */
  private readonly providers = new Map<number, ChainProvider>();

  constructor(private readonly chains: SupportedChains) {}

  /** What an owner should know of an address; nothing where the chain cannot be read. */
  async warningsOf(chainId: number, address: Address): Promise<string[]> {
    const provider = this.providerOf(chainId);
    try {
      if (!provider || (await provider.code(address)) !== '0x') return [];
    } catch (error) {
      if (error instanceof DependencyUnavailableError) return [];
      throw error;
    }
    return [
      `There is no contract at ${address} on ${this.chains.nameOf(chainId)} now: check the address and the chain`,
    ];
  }

  private providerOf(chainId: number): ChainProvider | undefined {
    const chain = this.chains.find(chainId);
    const known = this.providers.get(chainId) ?? (chain && new ChainProvider(chain, SETTINGS));
    if (known) this.providers.set(chainId, known);
    return known;
  }
}
