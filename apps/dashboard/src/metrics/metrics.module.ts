import { Module } from '@nestjs/common';
import { PolicySnapshotsModule } from '../policy-snapshots/policy-snapshots.module';
import { DashboardGauges } from './dashboard-gauges';

/** The numbers that are read when Prometheus asks. */
@Module({ imports: [PolicySnapshotsModule], providers: [DashboardGauges] })
export class DashboardMetricsModule {}
