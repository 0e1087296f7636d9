import type { SequencerCheck } from '../sources/feed/sequencer-feed';
import { distrust, type PriceProblem } from '../sources/price-source';

/** Remembers whether the chain's sequencer is up, for as long as a price would be remembered. */
export class SequencerGate {
  private lastProblem: PriceProblem | undefined;
  private lastOutage = 'not read yet';
  private readAtMs = -Infinity;

  /** @param check null on a chain without a sequencer: always open */
  constructor(
    private readonly check: SequencerCheck | null,
    private readonly maxAgeSeconds: number,
  ) {}

  /** When the last reading expires; monotonic milliseconds. */
  get validUntilMs(): number {
    return this.check ? this.readAtMs + this.maxAgeSeconds * 1_000 : Infinity;
  }

  /** The fault that stops the whole chain, if there is one. */
  problem(nowMs: number): PriceProblem | undefined {
    if (!this.check || this.lastProblem) return this.lastProblem;
    if (nowMs < this.validUntilMs) return undefined;
    return distrust('SEQUENCER_DOWN', `whether the sequencer is up is not known: ${this.lastOutage}`);
  }

  async refresh(nowMs: number): Promise<void> {
    const problem = await this.check?.check();
    if (problem?.outage) {
      this.lastOutage = problem.message;
      return;
    }
    this.lastProblem = problem;
    this.readAtMs = nowMs;
  }
}
