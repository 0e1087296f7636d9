import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module';
import { FollowingModule } from '../following/following.module';
import { MetricsModule } from '../metrics/metrics.module';
import { Reconciliations } from './reconciliations.service';
import { UnsettledWatch } from './unsettled-watch.service';

@Module({ imports: [DatabaseModule, FollowingModule, MetricsModule], providers: [Reconciliations, UnsettledWatch] })
export class ReconciliationModule {}
