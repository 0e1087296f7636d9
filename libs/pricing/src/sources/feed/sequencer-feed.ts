import type { Address } from '@paymaster/domain';
import type { ChainTime } from '../chain-time';
import { distrust, outage, type PriceProblem } from '../price-source';
import { readLatestRound } from './aggregator';
import type { ContractReader } from './contract-reader';

/** Decides whether prices of a chain are valid at all. */
export interface SequencerCheck {
  /** @returns the fault; undefined when there is none. Never rejects. */
  check(): Promise<PriceProblem | undefined>;
}

/**
 * Chainlink's L2 sequencer uptime feed: answer 0 means up, and `startedAt` is the time at which that began. While the
 * sequencer is down, and until feeds have caught up after it came back, every feed of the chain may be out of date.
 */
export class SequencerFeed implements SequencerCheck {
  constructor(
    private readonly reader: ContractReader,
    private readonly time: ChainTime,
    private readonly options: { readonly feed: Address; readonly graceSeconds: number },
  ) {}

  async check(): Promise<PriceProblem | undefined> {
    const { feed, graceSeconds } = this.options;
    try {
      const { answer, startedAt } = await readLatestRound(this.reader, feed);
      // A feed that was never written (startedAt 0) proves nothing.
      if (answer !== 0n || startedAt === 0n) return distrust('SEQUENCER_DOWN', `sequencer feed ${feed}: down`);
      const upSeconds = this.time.nowSeconds() - Number(startedAt);
      if (upSeconds <= graceSeconds)
        return distrust('SEQUENCER_DOWN', `sequencer feed ${feed}: up for ${upSeconds} s, not yet ${graceSeconds} s`);
      return undefined;
    } catch (error) {
      return outage(`sequencer feed ${feed}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
