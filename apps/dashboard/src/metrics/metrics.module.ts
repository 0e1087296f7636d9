import { Module } from '@nestjs/common';
import { OperationsModule } from '../activity/operations/operations.module';
import { PolicyChangesModule } from '../programs/policy-changes/policy-changes.module';
import { WebhooksModule } from '../outbound/webhooks/webhooks.module';
import { BacklogGauges } from './backlog-gauges';
import { DashboardGauges } from './dashboard-gauges';
import { StreamGauges } from './stream-gauges';

/** The numbers that are read when Prometheus asks. */
@Module({
  imports: [OperationsModule, PolicyChangesModule, WebhooksModule],
  providers: [BacklogGauges, DashboardGauges, StreamGauges],
})
export class DashboardMetricsModule {}
