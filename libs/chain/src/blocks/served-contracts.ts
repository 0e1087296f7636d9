import { ENTRY_POINT_VERSIONS, type Address, type EntryPointVersion, type Hex } from '@paymaster/domain';
import type { ChainConfig } from '../chains/chain-config';
import type { Log } from '../providers/log';
import { ENTRY_POINT_EVENTS, PAYMASTER_EVENTS } from './event-topics';

/** One EntryPoint with our contract for it. */
export interface ServedContract {
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  readonly paymaster: Address;
}

const OF_PAYMASTER: ReadonlySet<Hex> = new Set(Object.values(PAYMASTER_EVENTS));
const OF_ENTRY_POINT: ReadonlySet<Hex> = new Set(Object.values(ENTRY_POINT_EVENTS));

/** The contracts of a chain whose events concern the books. */
export class ServedContracts {
  readonly all: readonly ServedContract[];
  readonly paymasters: readonly Address[];
  readonly entryPoints: readonly Address[];

  constructor(entryPoints: ChainConfig['entryPoints']) {
    this.all = ENTRY_POINT_VERSIONS.flatMap((version) => {
      const served = entryPoints[version];
      return served ? [{ version, ...served }] : [];
    });
    this.paymasters = this.all.map(({ paymaster }) => paymaster);
    this.entryPoints = this.all.map(({ entryPoint }) => entryPoint);
  }

  ofPaymaster(address: Address): ServedContract | undefined {
    return this.all.find(({ paymaster }) => paymaster === address);
  }

  ofEntryPoint(address: Address): ServedContract | undefined {
    return this.all.find(({ entryPoint }) => entryPoint === address);
  }

  /** Whether a log is one of those that are read. */
  concerns({ address, topics: [topic] }: Log): boolean {
    if (!topic) return false;
    if (this.ofPaymaster(address)) return OF_PAYMASTER.has(topic);
    return this.ofEntryPoint(address) !== undefined && OF_ENTRY_POINT.has(topic);
  }
}
