import type { PriceFault } from '../sources/price-unavailable.error';

/** A fault for operators: an asset that can't be priced, or a source whose price did not count. */
export interface PricingFault {
  /**
   * The symbols of the operator's tokens with this fault, or else of the first owner's token; or `native coin`, or
   * `sequencer`.
   */
  readonly subject: string;
  /** The source that did not count, while others did; null if there is no price at all. */
  readonly source: string | null;
  readonly fault: PriceFault;
  /** Safe to log: names hosts and feeds, never URLs or keys. */
  readonly message: string;
}

/** Reports each fault once, when it appears; a fault that went away and comes back is reported again. */
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
