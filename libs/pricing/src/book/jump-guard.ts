/** How many readings in a row, on the same new level, confirm a jump. */
export const DEFAULT_CONFIRMATIONS = 3;

/**
 * Holds back a price that moved by more than a bound since the last accepted one.
 *
 * The first reading can't tell a wrong sample from a real crash: the sample is gone with the next reading, the crash
 * stays. So a jump stops quotes until the new level was read `confirmations` times in a row (the first reading counts).
 * Each reading must be within the bound of the one before, because a crashing market does not stand still. A reading
 * back near the old level ends the wait at once. A source that keeps lying passes this check; the quorum protects
 * against it. The first price ever is accepted, because there is no earlier price to compare it with.
 */
export class JumpGuard {
  private accepted: bigint | undefined;
  private candidate: bigint | undefined;
  private seen = 0;

  constructor(
    private readonly maxJumpMillionths: number,
    private readonly confirmations = DEFAULT_CONFIRMATIONS,
  ) {}

  /** @returns whether the price may be used now; then the next price is compared with it */
  accepts(usdE36: bigint): boolean {
    if (this.accepted === undefined || this.isNear(usdE36, this.accepted)) return this.accept(usdE36);
    this.seen = this.candidate !== undefined && this.isNear(usdE36, this.candidate) ? this.seen + 1 : 1;
    this.candidate = usdE36;
    return this.seen >= this.confirmations && this.accept(usdE36);
  }

  private accept(usdE36: bigint): true {
    this.accepted = usdE36;
    this.candidate = undefined;
    this.seen = 0;
    return true;
  }

  private isNear(usdE36: bigint, reference: bigint): boolean {
    const moved = usdE36 > reference ? usdE36 - reference : reference - usdE36;
    return moved * 1_000_000n <= reference * BigInt(this.maxJumpMillionths);
  }
}
