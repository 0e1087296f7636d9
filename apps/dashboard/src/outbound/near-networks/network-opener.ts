import { Inject, Injectable } from '@nestjs/common';
import { indexKeysOf, NetworkNames } from '@paymaster/messaging';
import { DashboardConfig } from '../../platform/config/dashboard.config';

/** Finds out which client network a name in the ledger is of. Only owners are told, and nothing writes it down. */
@Injectable()
export class NetworkOpener {
  private readonly names: readonly NetworkNames[];

  constructor(@Inject(DashboardConfig) config: Pick<DashboardConfig, 'apiKeyIndexKey' | 'apiKeyIndexKeysOld'>) {
    this.names = indexKeysOf(config).map((key) => new NetworkNames(key));
  }

  /** @returns an IPv4 address, or the /48 of an IPv6 one; null for a user whom the owner's server names */
  open(name: string): string | null {
    for (const names of this.names) {
      const network = names.open(name);
      if (network !== undefined) return network;
    }
    return null;
  }
}
