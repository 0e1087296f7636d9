import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module';
import { FollowingModule } from '../following/following.module';
import { MetricsModule } from '../metrics/metrics.module';
import { OutboxPublisherService } from './outbox-publisher.service';

@Module({
  imports: [DatabaseModule, FollowingModule, MetricsModule],
  providers: [OutboxPublisherService],
  exports: [OutboxPublisherService],
})
export class OutboxModule {}
