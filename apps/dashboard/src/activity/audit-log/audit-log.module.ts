import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { AuditLogController } from './audit-log.controller';

@Module({ imports: [AccountsModule, AuditModule, PaymasterLookupModule], controllers: [AuditLogController] })
export class AuditLogModule {}
