import { Injectable } from '@nestjs/common';
import { NetworkList } from '@paymaster/nest-kit';
import { DataSource } from 'typeorm';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { NetworkOpener } from './network-opener';

/** More networks than these are no single server of the owner's. */
const MOST_SHOWN = 20;

/** A client network that used half of what one network may take of the wallet in an hour. */
export interface NearNetwork {
  readonly contract: string;
  /** As in {@link NetworkOpener.open}. */
  readonly network: string | null;
  readonly usedWei: string;
  readonly roomWei: string;
  readonly at: Date;
}

@Injectable()
export class NearNetworks {
  constructor(
    private readonly dataSource: DataSource,
    private readonly opener: NetworkOpener,
  ) {}

  /** Those of the last 24 hours that the owner has not named as his servers, newest first. */
  async of({ id, settings }: Pick<Paymaster, 'id' | 'settings'>): Promise<readonly NearNetwork[]> {
    const rows = (await this.dataSource.query(
      `SELECT contract, network AS name, used_wei AS "usedWei", room_wei AS "roomWei", at FROM dashboard.near_networks
        WHERE paymaster_id = $1 AND at > now() - interval '1 day' ORDER BY at DESC LIMIT $2`,
      [id, MOST_SHOWN],
    )) as (Omit<NearNetwork, 'network'> & { name: string })[];
    const servers = new NetworkList(settings.servers);
    return rows
      .map(({ name, ...near }) => ({ ...near, network: this.opener.open(name) }))
      .filter(({ network }) => !servers.has(network?.replace('/48', '')));
  }
}
