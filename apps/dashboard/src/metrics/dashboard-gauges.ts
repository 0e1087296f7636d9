import { Injectable } from '@nestjs/common';
import { Metrics, watchNats, watchPool, watchRateSharing } from '@paymaster/nest-kit';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { RateLimits } from '../platform/http/rate-limits';
import { PolicyChangePublisher } from '../programs/policy-changes/policy-change.publisher';

/** What the dashboard is connected to. */
@Injectable()
export class DashboardGauges {
  constructor(metrics: Metrics, dataSource: DataSource, publisher: PolicyChangePublisher, limits: RateLimits) {
    watchNats(metrics, () => publisher.link);
    const untold = 'Paymasters with a policy change that gateways were not told yet; they find it within 10 s';
    metrics.gauge({ name: 'paymaster_policy_changes_untold', help: untold }, () => publisher.changesUntold);
    watchRateSharing(metrics, () => limits.sharing);
    watchPool(metrics, () => {
      const { master } = dataSource.driver as unknown as { master?: Pool };
      return master && { total: master.totalCount, idle: master.idleCount, waiting: master.waitingCount };
    });
  }
}
