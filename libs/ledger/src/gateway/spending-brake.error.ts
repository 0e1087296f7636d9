import { SponsorshipRefusedError, type TraceLine } from '@paymaster/domain';

/** What the brake leaves, and the numbers that explain it; wei. */
export interface BrakeRoom {
  readonly roomWei: bigint;
  readonly neededWei: bigint;
  /** What the paymaster lost of this wallet within the hour. */
  readonly lostWei: bigint;
}

/**
 * The spending brake refuses the operation: with it the paymaster could lose more than half of its funding wallet
 * within an hour.
 */
export class SpendingBrakeError extends SponsorshipRefusedError {
  /** @param room undefined if the paymaster is stopped until its owner releases the brake */
  constructor(
    readonly room: BrakeRoom | undefined,
    trace: readonly TraceLine[] = [],
  ) {
    const details = Object.entries(room ?? {}).map(([name, wei]) => [name, String(wei)] as const);
    super('SPENDING_BRAKE', room ? NO_ROOM : STOPPED, trace, Object.fromEntries(details));
  }

  /** The same error, with the trace of the earlier checks. */
  after(earlier: readonly TraceLine[]): SpendingBrakeError {
    return new SpendingBrakeError(this.room, [...earlier, ...this.trace]);
  }
}

const NO_ROOM =
  'With this operation the paymaster could lose more than half of its funding wallet within an hour; ask again later.';
const STOPPED =
  'The paymaster was about to lose more than half of its funding wallet within an hour. It is stopped until its owner releases the spending brake.';
