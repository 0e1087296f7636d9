import type { PriceReference, TokenListing } from '@paymaster/domain';
import { assetKey } from '../sources/price-source';
import { WatchedAsset } from './watched-asset';
import { WatchedToken } from './watched-token';

const keys = new WeakMap<TokenListing, string>();

function tokenKey(token: TokenListing): string {
  const known = keys.get(token);
  if (known !== undefined) return known;
  const key = `${token.address}:${token.decimals}:${assetKey(token.price)}`;
  keys.set(token, key);
  return key;
}

/**
 * The tokens of one chain and the assets behind them. Two listings of one token with other references are two tokens:
 * what a paymaster says of a price is its own affair. Bounded: beyond `maxTokens` a new one is not taken, so that
 * nobody's tokens push out those in use.
 */
export class WatchedTokens {
  private readonly tokens = new Map<string, WatchedToken>();
  private readonly assets = new Map<string, WatchedAsset>();

  constructor(
    private readonly options: {
      readonly newAsset: (reference: PriceReference) => WatchedAsset;
      readonly maxTokens: number;
      readonly dropAfterMs: number;
    },
  ) {}

  all(): readonly WatchedToken[] {
    return [...this.tokens.values()];
  }

  /** Every asset once, however many tokens it stands for. */
  allAssets(): WatchedAsset[] {
    return [...this.assets.values()];
  }

  /** The asset of a reference; the native coin's is asked for before any token's. */
  asset(reference: PriceReference): WatchedAsset {
    const key = assetKey(reference);
    const asset = this.assets.get(key) ?? this.options.newAsset(reference);
    this.assets.set(key, asset);
    return asset;
  }

  find(token: TokenListing): WatchedToken | undefined {
    return this.tokens.get(tokenKey(token));
  }

  /** @returns undefined when there is no room */
  add(listing: TokenListing): WatchedToken | undefined {
    return this.tokens.size < this.options.maxTokens ? this.put(listing, false) : undefined;
  }

  /** One of the operator's own: there is always room, and it is never dropped. */
  addPermanent(listing: TokenListing): void {
    this.put(listing, true);
  }

  private put(listing: TokenListing, isPermanent: boolean): WatchedToken {
    const token = new WatchedToken(listing, this.asset(listing.price), isPermanent);
    this.tokens.set(tokenKey(listing), token);
    return token;
  }

  /** Forgets tokens that nobody asked for, and assets that stand for no token any more. */
  dropUnasked(nowMs: number, alwaysKept: WatchedAsset): void {
    const kept = new Set([alwaysKept]);
    for (const [key, token] of this.tokens) {
      const isUnasked = nowMs - token.lastAskedMs > this.options.dropAfterMs;
      if (isUnasked && !token.isPermanent) this.tokens.delete(key);
      else kept.add(token.asset);
    }
    for (const [key, asset] of this.assets) if (!kept.has(asset)) this.assets.delete(key);
  }
}
