import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { PolicyChangesModule } from '../../programs/policy-changes/policy-changes.module';
import { RequestLogController } from './request-log.controller';
import { RequestLogRepository } from './request-log.repository';
import { RequestLogWriter } from './request-log.writer';
import { RequestLogs } from './request-logs.service';

@Module({
  imports: [AccountsModule, AuditModule, PaymasterLookupModule, PolicyChangesModule],
  controllers: [RequestLogController],
  providers: [RequestLogRepository, RequestLogWriter, RequestLogs],
})
export class RequestLogModule {}
