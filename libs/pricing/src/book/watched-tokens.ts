import type { PriceReference, TokenListing } from '@paymaster/domain';
import { assetKey } from '../sources/price-source';
import { OwnersLists } from './owners-lists';
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
 * The tokens of one chain and their assets: the operator's always, owners' as their lists say. Two listings of one
 * token with different references are two tokens, so a paymaster's claim about a price concerns only that paymaster.
 */
export class WatchedTokens {
  private readonly tokens = new Map<string, WatchedToken>();
  private readonly assets = new Map<string, WatchedAsset>();
  private readonly operatorsAssets = new Set<WatchedAsset>();
  private readonly lists: OwnersLists;

  constructor(
    private readonly options: {
      readonly newAsset: (reference: PriceReference) => WatchedAsset;
      /** The native coin. */
      readonly native: PriceReference;
      /** The operator's tokens: there is always room for them, and they are never dropped. */
      readonly operators: readonly TokenListing[];
      /** The most tokens that are priced, including the operator's. */
      readonly maxTokens: number;
      readonly maxTokensPerOwner: number;
      readonly dropAfterMs: number;
    },
  ) {
    this.operatorsAssets.add(this.asset(options.native));
    for (const listing of options.operators) this.operatorsAssets.add(this.put(listing, true).asset);
    this.lists = new OwnersLists(Math.max(0, options.maxTokens - this.tokens.size));
  }

  get native(): WatchedAsset {
    return this.asset(this.options.native);
  }

  all(): readonly WatchedToken[] {
    return [...this.tokens.values()];
  }

  /** The native coin and the assets of the operator's tokens, each once, however many tokens name it. */
  assetsOfOperator(): WatchedAsset[] {
    return [...this.operatorsAssets];
  }

  /** The assets that only owners name. */
  assetsOfOwners(): WatchedAsset[] {
    return [...this.assets.values()].filter((asset) => !this.operatorsAssets.has(asset));
  }

  find(token: TokenListing): WatchedToken | undefined {
    return this.tokens.get(tokenKey(token));
  }

  /**
   * Replaces an owner's list. Tokens above an owner's bound are left out. When all owners together have too many, the
   * list that was asked for longest ago is dropped.
   *
   * @returns the tokens that were not watched before
   */
  replace(owner: string, listings: readonly TokenListing[], nowMs: number): readonly WatchedToken[] {
    if (this.lists.touch(owner, listings, nowMs)) return [];
    if (listings.length === 0 && !this.lists.knows(owner)) return [];
    const taken = new Map(
      listings.slice(0, this.options.maxTokensPerOwner).map((listing) => [tokenKey(listing), listing]),
    );
    for (const key of taken.keys()) if (this.tokens.get(key)?.isOperators) taken.delete(key);
    this.lists.set(owner, { source: listings, keys: [...taken.keys()], askedAtMs: nowMs });
    this.dropUnlisted();
    return [...taken].flatMap(([key, listing]) =>
      this.lists.has(key) && !this.tokens.has(key) ? [this.put(listing, false)] : [],
    );
  }

  /** Drops the lists that were not asked for in a while, and assets without a token. */
  dropUnasked(nowMs: number): void {
    if (this.lists.dropBefore(nowMs - this.options.dropAfterMs)) this.dropUnlisted();
  }

  private dropUnlisted(): void {
    for (const [key, { isOperators }] of this.tokens) if (!isOperators && !this.lists.has(key)) this.tokens.delete(key);
    const kept = new Set([...this.operatorsAssets, ...this.all().map(({ asset }) => asset)]);
    for (const [key, asset] of this.assets) if (!kept.has(asset)) this.assets.delete(key);
  }

  private asset(reference: PriceReference): WatchedAsset {
    const key = assetKey(reference);
    const asset = this.assets.get(key) ?? this.options.newAsset(reference);
    this.assets.set(key, asset);
    return asset;
  }

  private put(listing: TokenListing, isOperators: boolean): WatchedToken {
    const token = new WatchedToken(listing, this.asset(listing.price), isOperators);
    this.tokens.set(tokenKey(listing), token);
    return token;
  }
}
