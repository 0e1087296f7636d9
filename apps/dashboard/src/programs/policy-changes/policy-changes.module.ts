import { Module } from '@nestjs/common';
import { indexKeysOf, MessageAuthenticator } from '@paymaster/messaging';
import { AccountEventsModule } from '../../platform/account-events/account-events.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { PolicyChangePublisher } from './policy-change.publisher';
import { PolicyWriter } from './policy-writer';

/** Writing what a policy snapshot shows, for every feature that changes a part of it. */
@Module({
  imports: [AccountEventsModule, AuditModule],
  providers: [
    PolicyChangePublisher,
    PolicyWriter,
    {
      provide: MessageAuthenticator,
      inject: [DashboardConfig],
      useFactory: (config: DashboardConfig) => new MessageAuthenticator(indexKeysOf(config)),
    },
  ],
  exports: [PolicyWriter, PolicyChangePublisher, MessageAuthenticator],
})
export class PolicyChangesModule {}
