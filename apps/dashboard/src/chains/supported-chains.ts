import { Inject, Injectable } from '@nestjs/common';
import { loadChainsFile, type ChainConfig } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import { DashboardConfig } from '../config/dashboard.config';

/** The chains of the operator's `chains.json`; the file is checked at start. */
@Injectable()
export class SupportedChains {
  private readonly chains: ReadonlyMap<number, ChainConfig>;

  constructor(@Inject(DashboardConfig) { chainsFile }: Pick<DashboardConfig, 'chainsFile'>) {
    this.chains = new Map(loadChainsFile(chainsFile).map((chain) => [chain.chainId, chain]));
  }

  has(chainId: number): boolean {
    return this.chains.has(chainId);
  }

  nameOf(chainId: number): string {
    return this.chains.get(chainId)?.name ?? `chain ${chainId}`;
  }

  /** Whether an address is part of the platform itself: one of the chain's EntryPoints or paymasters. */
  isInfrastructure(chainId: number, address: Address): boolean {
    const entryPoints = Object.values(this.chains.get(chainId)?.entryPoints ?? {});
    return entryPoints.some(({ entryPoint, paymaster }) => entryPoint === address || paymaster === address);
  }
}
