/** A funding wallet's account in the contract of one EntryPoint. Amounts in wei. */
export interface WalletAccountReport {
  readonly entryPointVersion: string;
  readonly contract: string;
  /** Its gas deposit. */
  readonly balanceWei: bigint;
  /** What of it the wallet asked to withdraw. */
  readonly requestedWei: bigint;
  /** From when on the wallet can take that amount; null: it asked for nothing. */
  readonly withdrawableAt: Date | null;
  readonly spendableWei: bigint;
  /** What the paymaster's operations cost in the last 24 hours. */
  readonly spentPerDayWei: bigint;
  /** How long it lasts at that rate; null when nothing was spent. Hours, rounded down. */
  readonly runwayHours: number | null;
  /** Since when the spending brake stops the paymaster here; null: it does not. */
  readonly stoppedAt: Date | null;
}

/** How long `spendableWei` lasts; hours, rounded down, or null when nothing is spent. */
export function runwayHours(spendableWei: bigint, spentPerDayWei: bigint): number | null {
  if (spentPerDayWei === 0n) return null;
  const hours = (spendableWei * 24n) / spentPerDayWei;
  return hours > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(hours);
}
