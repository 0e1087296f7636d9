import { Inject, Injectable } from '@nestjs/common';
import { Metrics, type Tally, type TallyCounter, type Timing, type TimingHistogram } from '@paymaster/nest-kit';
import type { OpenedSigners, SignerObserver } from '@paymaster/signers';
import { SIGNERS } from '../chains/served-chains';

/**
 * The buckets reach from a tenth of a millisecond, for a key in this process, to the time-out of a remote signer;
 * seconds.
 */
const SIGNER_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Times and failures of each signer, under the name that the operator gave it. */
@Injectable()
export class SignerMetrics implements SignerObserver {
  private readonly seconds: TimingHistogram;
  private readonly failures: TallyCounter;
  private readonly timings = new Map<string, Timing>();
  private readonly tallies = new Map<string, Tally>();

  constructor(metrics: Metrics, @Inject(SIGNERS) { set }: OpenedSigners) {
    const labelNames = ['signer'];
    const seconds = { name: 'paymaster_signer_seconds', help: 'How long signatures took', labelNames };
    this.seconds = metrics.histogram({ ...seconds, bounds: SIGNER_SECONDS });
    this.failures = metrics.counter({
      name: 'paymaster_signer_failures_total',
      help: 'Times that a signer did not sign; another one is asked then',
      labelNames: ['signer', 'kind'],
    });
    metrics.gauge({ name: 'paymaster_signer_up', help: '1 while a signer is asked first or next', labelNames }, () =>
      set.report().map(({ name, isUp }) => ({ labels: { signer: name }, value: isUp ? 1 : 0 })),
    );
    set.observe(this);
  }

  signed(name: string, seconds: number): void {
    const timing = this.timings.get(name) ?? this.timingOf(name);
    timing.observe(seconds);
  }

  failed(name: string, kind: Parameters<SignerObserver['failed']>[1]): void {
    const key = `${name}/${kind}`;
    const tally = this.tallies.get(key) ?? this.failures.tally({ signer: name, kind });
    this.tallies.set(key, tally);
    tally.value++;
  }

  private timingOf(name: string): Timing {
    const timing = this.seconds.timing({ signer: name });
    this.timings.set(name, timing);
    return timing;
  }
}
