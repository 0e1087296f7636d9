import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module';
import { FollowingModule } from '../following/following.module';
import { OutboxModule } from '../outbox/outbox.module';
import { ExposureGauges } from './exposure-gauges';
import { SettlementGauges } from './settlement-gauges';
import { WalletGauges } from './wallet-gauges';

/** Metrics that are read when Prometheus asks. `MetricsModule` has the metrics that other code counts. */
@Module({
  imports: [DatabaseModule, FollowingModule, OutboxModule],
  providers: [SettlementGauges, WalletGauges, ExposureGauges],
})
export class GaugesModule {}
