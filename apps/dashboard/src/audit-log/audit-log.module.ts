import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuditModule } from '../audit/audit.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { AuditLogController } from './audit-log.controller';

@Module({ imports: [AccountsModule, AuditModule, PaymasterLookupModule], controllers: [AuditLogController] })
export class AuditLogModule {}
