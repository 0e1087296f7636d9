import type { PriceFault } from '../sources/price-unavailable.error';

/** Something to tell operators: an asset that can't be priced, or a source that did not count for it. */
export interface PricingFault {
  /** The symbols of the operator's tokens it concerns, else of the first owner's; `native coin`, `sequencer`. */
  readonly subject: string;
  /** The source that did not count while others did; null when there is no price at all. */
  readonly source: string | null;
  readonly fault: PriceFault;
  /** Safe to log: names hosts and feeds, never URLs or keys. */
  readonly message: string;
}

/** Tells each fault once, when it appears; one that went away and comes back is told again. */
export class FaultReporter {
  private told = new Set<string>();

  constructor(private readonly onFault: (fault: PricingFault) => void) {}

  report(faults: readonly PricingFault[]): void {
    const before = this.told;
    this.told = new Set(faults.map(keyOf));
    for (const fault of faults) if (!before.has(keyOf(fault))) this.onFault(fault);
  }
}

function keyOf({ subject, source, fault }: PricingFault): string {
  return JSON.stringify([subject, source, fault]);
}
