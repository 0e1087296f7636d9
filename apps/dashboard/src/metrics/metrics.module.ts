import { Module } from '@nestjs/common';
import { OperationsModule } from '../operations/operations.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { BacklogGauges } from './backlog-gauges';
import { DashboardGauges } from './dashboard-gauges';
import { StreamGauges } from './stream-gauges';

/** The numbers that are read when Prometheus asks. */
@Module({
  imports: [OperationsModule, PolicyChangesModule, WebhooksModule],
  providers: [BacklogGauges, DashboardGauges, StreamGauges],
})
export class DashboardMetricsModule {}
