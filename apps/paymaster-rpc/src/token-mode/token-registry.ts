import type { ChainConfig } from '@paymaster/chain';
import {
  InvalidParamsError,
  NATIVE_PSEUDO_ADDRESS,
  ZERO_ADDRESS,
  type Address,
  type ChargingWay,
  type TokenListing,
} from '@paymaster/domain';
import type { LoadedPolicy } from '../policy-snapshots/loaded-policy';

/** A token that a paymaster accepts, with at least one way that token and paymaster both allow. */
export interface SupportedToken {
  readonly listing: TokenListing;
  readonly ways: readonly ChargingWay[];
  /** Equal for tokens whose payment takes the same gas. */
  readonly gasKind: string;
}

/** The tokens of one paymaster: the chain's list, extended and overridden by its own. */
export interface TokenRegistry {
  /** The chain's list in its order, then the paymaster's own tokens. */
  readonly byAddress: ReadonlyMap<Address, SupportedToken>;
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

/** @throws {InvalidParamsError} TOKEN_NOT_SUPPORTED, naming the field and the token */
export function supportedToken({ byAddress }: TokenRegistry, address: Address, field: string): SupportedToken {
  const token = byAddress.get(address);
  if (token) return token;
  throw new InvalidParamsError(field, `Token ${address} is not supported.`, 'TOKEN_NOT_SUPPORTED');
}

function makeRegistry({ snapshot }: LoadedPolicy, chain: Pick<ChainConfig, 'tokens'>): TokenRegistry {
  const { tokenChargingWays } = snapshot.settings;
  const listings = new Map([...chain.tokens, ...snapshot.tokens].map((listing) => [listing.address, listing]));
  // Neither address is a token, in any list.
  listings.delete(NATIVE_PSEUDO_ADDRESS);
  listings.delete(ZERO_ADDRESS);
  const supported = [...listings.values()]
    .map((listing) => ({ listing, ways: listing.chargingWays.filter((way) => tokenChargingWays.includes(way)) }))
    .filter(({ ways }) => ways.length > 0)
    .map((token) => ({ ...token, gasKind: `${token.listing.transferGas} ${token.ways.join()}` }));
  return {
    byAddress: new Map(supported.map((token) => [token.listing.address, token])),
    own: snapshot.tokens.filter(({ address }) => listings.has(address)),
  };
}
