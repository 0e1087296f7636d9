import type { ChainConfig } from '@paymaster/chain';
import {
  NATIVE_PSEUDO_ADDRESS,
  ZERO_ADDRESS,
  type Address,
  type ChargingWay,
  type PolicySnapshot,
  type TokenListing,
} from '@paymaster/domain';
import type { LoadedPolicy } from '../snapshots/policy-copies';

/** A token that a paymaster accepts, with at least one way that token and paymaster both allow. */
export interface SupportedToken {
  readonly listing: TokenListing;
  readonly ways: readonly ChargingWay[];
  /** Token and paymaster allow `batchApproval`, but the paymaster has nothing that bounds strangers who use it. */
  readonly lacksBatchApproval: boolean;
  /** Equal for tokens whose payment takes the same gas. */
  readonly gasKind: string;
}

/** The tokens of one paymaster: the chain's list, extended and overridden by its own. */
export interface TokenRegistry {
  /** The chain's list in its order, then the paymaster's own tokens. */
  readonly byAddress: ReadonlyMap<Address, SupportedToken>;
  /** Tokens whose only way is `batchApproval`, which this paymaster does not offer. */
  readonly withoutWay: ReadonlyMap<Address, TokenListing>;
  /** Tokens of the paymaster's own list; only it needs their prices. */
  readonly own: readonly TokenListing[];
}

/** A paymaster's tokens come from its policy copy, so the registry is made once per copy. */
const known = new WeakMap<LoadedPolicy, TokenRegistry>();

export function tokenRegistry(paymaster: LoadedPolicy, chain: Pick<ChainConfig, 'tokens'>): TokenRegistry {
  let registry = known.get(paymaster);
  if (!registry) {
    registry = makeRegistry(paymaster, chain);
    known.set(paymaster, registry);
  }
  return registry;
}

/**
 * Whether the owner has set up a contract or a policy, which bounds strangers who approve in their batch and then do
 * not pay.
 */
function offersBatchApproval({ settings, contracts, policies }: PolicySnapshot): boolean {
  return settings.allowBatchApprovalWithoutRules || contracts.length > 0 || policies.length > 0;
}

function makeRegistry({ snapshot }: LoadedPolicy, chain: Pick<ChainConfig, 'tokens'>): TokenRegistry {
  const { tokenChargingWays } = snapshot.settings;
  const isOffered = (way: ChargingWay): boolean => way !== 'batchApproval' || offersBatchApproval(snapshot);
  const listings = new Map([...chain.tokens, ...snapshot.tokens].map((listing) => [listing.address, listing]));
  // These two addresses are no tokens, in any list.
  listings.delete(NATIVE_PSEUDO_ADDRESS);
  listings.delete(ZERO_ADDRESS);
  const allowed = [...listings.values()].map((listing) => {
    const both = listing.chargingWays.filter((way) => tokenChargingWays.includes(way));
    const ways = both.filter(isOffered);
    const gasKind = `${listing.transferGas} ${ways.join()}`;
    return { listing, ways, lacksBatchApproval: ways.length < both.length, gasKind };
  });
  const supported = allowed.filter(({ ways }) => ways.length > 0);
  const without = allowed.filter(({ ways, lacksBatchApproval }) => ways.length === 0 && lacksBatchApproval);
  return {
    byAddress: new Map(supported.map((token) => [token.listing.address, token])),
    withoutWay: new Map(without.map(({ listing }) => [listing.address, listing])),
    own: snapshot.tokens.filter(({ address }) => listings.has(address)),
  };
}
