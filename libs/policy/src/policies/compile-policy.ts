import {
  normalizeAddress,
  type Address,
  type Hex,
  type PaymasterSettings,
  type PolicySnapshot,
} from '@paymaster/domain';
import { compilePolicies, type CompiledPolicies } from './compile-policies';

/** A snapshot with its whitelist as sets and its policies compiled. Made once per snapshot, read by every request. */
export interface CompiledPolicy {
  readonly snapshot: PolicySnapshot;
  /** As the snapshot says, and as its policies extend them: `WALLET_DEPLOYMENT` sponsors deployments always. */
  readonly settings: PaymasterSettings;
  readonly policies: CompiledPolicies;
  /** Every registered contract; its set may be empty. */
  readonly selectorsByContract: ReadonlyMap<Address, ReadonlySet<Hex>>;
  readonly whitelistedMethodCount: number;
}

const SELECTOR = /^0x[0-9a-f]{8}$/;

/** Compiles whitelist and policies of a snapshot. Entries that are not 4-byte selectors are dropped: they allow nothing. */
export function compilePolicy(snapshot: PolicySnapshot): CompiledPolicy {
  const selectorsByContract = new Map<Address, Set<Hex>>();
  for (const contract of snapshot.contracts) {
    const address = normalizeAddress(contract.address);
    const selectors = selectorsByContract.get(address) ?? new Set<Hex>();
    contract.selectors
      .map((selector) => selector.toLowerCase() as Hex)
      .filter((selector) => SELECTOR.test(selector))
      .forEach((selector) => selectors.add(selector));
    selectorsByContract.set(address, selectors);
  }
  const whitelistedMethodCount = [...selectorsByContract.values()].reduce((sum, { size }) => sum + size, 0);
  const policies = compilePolicies(snapshot);
  const settings: PaymasterSettings = policies.sponsorsDeployments
    ? { ...snapshot.settings, sponsorDeployments: 'always' }
    : snapshot.settings;
  return { snapshot, settings, policies, selectorsByContract, whitelistedMethodCount };
}
