import { SponsorshipRefusedError, type TraceLine } from '@paymaster/domain';

/** What the brake leaves, and why no more; wei. */
export interface BrakeRoom {
  readonly roomWei: bigint;
  readonly neededWei: bigint;
  /** By the paymaster, of this wallet, within the hour. */
  readonly lostWei: bigint;
}

/** With one more operation the paymaster could lose more than half of its funding wallet within an hour. */
export class SpendingBrakeError extends SponsorshipRefusedError {
  /** @param room undefined where the paymaster is stopped until its owner releases the brake */
  constructor(
    readonly room: BrakeRoom | undefined,
    trace: readonly TraceLine[] = [],
  ) {
    const details = Object.entries(room ?? {}).map(([name, wei]) => [name, String(wei)] as const);
    super('SPENDING_BRAKE', room ? NO_ROOM : STOPPED, trace, Object.fromEntries(details));
  }

  /** The same with what was looked at before. */
  after(earlier: readonly TraceLine[]): SpendingBrakeError {
    return new SpendingBrakeError(this.room, [...earlier, ...this.trace]);
  }
}

const NO_ROOM =
  'With this operation the paymaster could lose more than half of its funding wallet within an hour; ask again later.';
const STOPPED =
  'The paymaster was about to lose more than half of its funding wallet within an hour. It is stopped until its owner releases the spending brake.';
