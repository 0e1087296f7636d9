import type { PolicySnapshot, TokenListing } from '@paymaster/domain';

const SNAPSHOT_BYTES = 2_000;
const CONTRACT_BYTES = 400;
const SELECTOR_BYTES = 100;
/** A listing, its price reference, and its place in the registry made of it. */
const TOKEN_BYTES = 1_200;

/** About how much memory a snapshot takes, look-up tables included; bytes. */
export function snapshotBytes({ contracts, tokens, settings }: PolicySnapshot): number {
  const selectors = contracts.reduce((count, contract) => count + contract.selectors.length, 0);
  const origins = settings.allowedOrigins.reduce((bytes, origin) => bytes + textBytes(origin), 0);
  const listings = tokens.reduce((bytes, token) => bytes + TOKEN_BYTES + textsOf(token), 0);
  return SNAPSHOT_BYTES + contracts.length * CONTRACT_BYTES + selectors * SELECTOR_BYTES + origins + listings;
}

/** What owners write, as long as they like within the dashboard's bounds. */
function textsOf({ symbol, logoUrl, price }: TokenListing): number {
  return [symbol, logoUrl, price.apiId, price.fixedUsd].reduce((bytes, text) => bytes + textBytes(text ?? ''), 0);
}

function textBytes(text: string): number {
  return 2 * text.length;
}
