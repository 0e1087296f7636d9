import { ENTRY_POINT_VERSIONS, type Address, type EntryPointVersion, type Hex } from '@paymaster/domain';
import type { ChainConfig } from '../chains/chain-config';
import type { Log } from '../providers/log';
import { ENTRY_POINT_EVENTS, PAID_IN_TOKEN, PAYMASTER_EVENTS } from './event-topics';

/** One EntryPoint with one of our contracts for it. */
export interface ServedContract {
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  /**
   * Whether gateways sign for this contract. If not, it will soon replace another contract, or another has replaced it.
   */
  readonly isSignedFor: boolean;
}

const OF_PAYMASTER: ReadonlySet<Hex> = new Set([...Object.values(PAYMASTER_EVENTS), PAID_IN_TOKEN]);
const OF_ENTRY_POINT: ReadonlySet<Hex> = new Set(Object.values(ENTRY_POINT_EVENTS));

/**
 * The contracts of a chain whose events concern the books: all that hold money of wallets, also those for which
 * gateways no longer sign.
 */
export class ServedContracts {
  readonly all: readonly ServedContract[];
  readonly paymasters: readonly Address[];
  readonly entryPoints: readonly Address[];

  constructor(entryPoints: ChainConfig['entryPoints']) {
    this.all = ENTRY_POINT_VERSIONS.flatMap((version) => {
      const served = entryPoints[version];
      if (!served) return [];
      const { entryPoint, paymaster, nextPaymaster, drainingPaymasters = [] } = served;
      const beside = [...(nextPaymaster ? [nextPaymaster] : []), ...drainingPaymasters];
      return [
        { version, entryPoint, paymaster, isSignedFor: true },
        ...beside.map((each) => ({ version, entryPoint, paymaster: each, isSignedFor: false })),
      ];
    });
    this.paymasters = this.all.map(({ paymaster }) => paymaster);
    this.entryPoints = [...new Set(this.all.map(({ entryPoint }) => entryPoint))];
  }

  /** Our contract that paid for an operation of that EntryPoint; undefined when another paymaster paid. */
  payer(of: { readonly entryPoint: Address; readonly paymaster: Address }): ServedContract | undefined {
    return this.all.find(({ entryPoint, paymaster }) => entryPoint === of.entryPoint && paymaster === of.paymaster);
  }

  /** Whether a log is one that settlement reads. */
  concerns({ address, topics: [topic] }: Log): boolean {
    if (!topic) return false;
    if (this.paymasters.includes(address)) return OF_PAYMASTER.has(topic);
    return this.entryPoints.includes(address) && OF_ENTRY_POINT.has(topic);
  }
}
