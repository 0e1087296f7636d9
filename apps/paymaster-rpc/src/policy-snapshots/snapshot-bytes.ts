import type { PolicySnapshot } from '@paymaster/domain';

const SNAPSHOT_BYTES = 2_000;
const CONTRACT_BYTES = 400;
const SELECTOR_BYTES = 100;

/** About how much memory a snapshot takes, look-up tables included; bytes. */
export function snapshotBytes({ contracts, settings }: PolicySnapshot): number {
  const selectors = contracts.reduce((count, contract) => count + contract.selectors.length, 0);
  const origins = settings.allowedOrigins.reduce((bytes, origin) => bytes + 2 * origin.length, 0);
  return SNAPSHOT_BYTES + contracts.length * CONTRACT_BYTES + selectors * SELECTOR_BYTES + origins;
}
