import { Inject, Injectable } from '@nestjs/common';
import { loadChainsFile, ServedContracts, type ChainConfig, type ChainPricing } from '@paymaster/chain';
import type { Address, TokenListing } from '@paymaster/domain';
import { DashboardConfig } from '../config/dashboard.config';

/** The chains of the operator's `chains.json`; the file is checked at start. */
@Injectable()
export class SupportedChains {
  private readonly chains: ReadonlyMap<number, ChainConfig>;

  constructor(@Inject(DashboardConfig) { chainsFile }: Pick<DashboardConfig, 'chainsFile'>) {
    this.chains = new Map(loadChainsFile(chainsFile).map((chain) => [chain.chainId, chain]));
  }

  /** In the order of the file. */
  all(): readonly ChainConfig[] {
    return [...this.chains.values()];
  }

  has(chainId: number): boolean {
    return this.chains.has(chainId);
  }

  nameOf(chainId: number): string {
    return this.chains.get(chainId)?.name ?? `chain ${chainId}`;
  }

  /** Tokens that every paymaster of the chain accepts, from the operator's list. */
  tokensOf(chainId: number): readonly TokenListing[] {
    return this.chains.get(chainId)?.tokens ?? [];
  }

  /** How prices of the chain are found; null when the operator has set up none, and no token can be paid in. */
  pricingOf(chainId: number): ChainPricing | null {
    return this.chains.get(chainId)?.pricing ?? null;
  }

  find(chainId: number): ChainConfig | undefined {
    return this.chains.get(chainId);
  }

  /**
   * Whether an address is part of the platform itself: one of the chain's EntryPoints or paymasters, those that are
   * not signed for yet or any more too.
   */
  isInfrastructure(chainId: number, address: Address): boolean {
    const { entryPoints, paymasters } = new ServedContracts(this.chains.get(chainId)?.entryPoints ?? {});
    return entryPoints.includes(address) || paymasters.includes(address);
  }
}
