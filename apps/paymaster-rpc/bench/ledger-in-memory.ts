import type { Ledger } from '@paymaster/ledger';

/**
 * A ledger that grants everything and keeps nothing: what a sponsored request costs without its reservation (target 1).
 * It exists for the measurement only.
 */
export function ledgerInMemory(): Ledger {
  let reservations = 0;
  return {
    reserve: async () => String(++reservations),
    openNonces: async () => [],
    availableWei: async () => 10n ** 24n,
    spendableWei: async () => 10n ** 24n,
    assertBrakeLeaves: async () => undefined,
    assertNetworkLeaves: async () => undefined,
    cursor: async () => ({ headTimeSeconds: Math.floor(Date.now() / 1_000), haltedReason: null }),
    peek: async (claims) =>
      claims.map(({ key, limit, endsAtSeconds = null }) => ({
        key,
        limit,
        endsAtSeconds,
        usedAmount: 0n,
        heldAmount: 0n,
      })),
    outcomes: async () => ({ landed: 0, reverted: 0 }),
    recordRefusal: () => undefined,
    recordSent: () => undefined,
    takeOverSent: async () => [],
    findSent: async () => undefined,
    isUp: () => true,
    close: async () => undefined,
  };
}
