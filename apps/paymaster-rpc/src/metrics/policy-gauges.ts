import { Injectable } from '@nestjs/common';
import { Metrics, watchNats } from '@paymaster/nest-kit';
import { PolicySnapshots } from '../snapshots/policy-snapshots.service';

/** The policies in memory, and the connection to NATS over which they arrive. */
@Injectable()
export class PolicyGauges {
  constructor(metrics: Metrics, snapshots: PolicySnapshots) {
    const cache = 'paymaster_policy_cache';
    metrics.gauge({ name: `${cache}_entries`, help: 'Policies in memory' }, () => snapshots.size.entries);
    metrics.gauge(
      { name: `${cache}_bytes`, help: 'What policies in memory take, by an estimate that is about twice of it' },
      () => snapshots.size.bytes,
    );
    metrics.gauge(
      { name: `${cache}_oldest_seconds`, help: 'Age of the oldest policy that a request was answered by lately' },
      () => snapshots.oldestInUse.seconds(),
    );
    metrics.total(
      {
        name: `${cache}_lookups_total`,
        help: 'Look-ups: used at once, not there, to be confirmed',
        labelNames: ['result'],
      },
      () => Object.entries(snapshots.lookups).map(([result, value]) => ({ labels: { result }, value })),
    );
    watchNats(metrics, () => snapshots.link);
  }
}
