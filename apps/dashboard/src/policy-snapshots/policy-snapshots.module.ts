import { Module } from '@nestjs/common';
import { indexKeysOf, MessageAuthenticator } from '@paymaster/messaging';
import { AuditModule } from '../audit/audit.module';
import { DashboardConfig } from '../config/dashboard.config';
import { PolicyChangePublisher } from './policy-change.publisher';
import { PolicyResolverController } from './policy-resolver.controller';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';
import { PolicyWriter } from './policy-writer';

@Module({
  imports: [AuditModule],
  controllers: [PolicyResolverController],
  providers: [
    PolicySnapshotsRepository,
    PolicyChangePublisher,
    PolicyWriter,
    {
      provide: MessageAuthenticator,
      inject: [DashboardConfig],
      useFactory: (config: DashboardConfig) => new MessageAuthenticator(indexKeysOf(config)),
    },
  ],
  exports: [PolicyWriter, PolicyChangePublisher],
})
export class PolicySnapshotsModule {}
