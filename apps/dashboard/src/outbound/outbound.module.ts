import { Module } from '@nestjs/common';
import { PolicySnapshotsModule } from './policy-snapshots/policy-snapshots.module';
import { WebhooksModule } from './webhooks/webhooks.module';

@Module({ imports: [WebhooksModule, PolicySnapshotsModule] })
export class OutboundModule {}
