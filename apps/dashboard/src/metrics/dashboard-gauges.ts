import { Inject, Injectable } from '@nestjs/common';
import { Metrics, watchNats, watchPool } from '@paymaster/nest-kit';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { PolicyChangePublisher } from '../policy-snapshots/policy-change.publisher';

/** What the dashboard is connected to. */
@Injectable()
export class DashboardGauges {
  constructor(
    @Inject(Metrics) metrics: Metrics,
    @Inject(DataSource) dataSource: DataSource,
    @Inject(PolicyChangePublisher) publisher: PolicyChangePublisher,
  ) {
    watchNats(metrics, () => publisher.link);
    watchPool(metrics, () => {
      const { master } = dataSource.driver as unknown as { master?: Pool };
      return master && { total: master.totalCount, idle: master.idleCount, waiting: master.waitingCount };
    });
  }
}
