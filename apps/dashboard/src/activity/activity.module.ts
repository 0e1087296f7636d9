import { Module } from '@nestjs/common';
import { AlertsModule } from './alerts/alerts.module';
import { AuditLogModule } from './audit-log/audit-log.module';
import { BackTestsModule } from './back-tests/back-tests.module';
import { EventStreamsModule } from './event-streams/event-streams.module';
import { ExplanationsModule } from './explanations/explanations.module';
import { OperationsModule } from './operations/operations.module';
import { PolicyUseModule } from './policy-use/policy-use.module';
import { RequestLogModule } from './request-log/request-log.module';
import { TokenPricesModule } from './token-prices/token-prices.module';
import { WalletReportsModule } from './wallet-reports/wallet-reports.module';

@Module({
  imports: [
    OperationsModule,
    AuditLogModule,
    EventStreamsModule,
    WalletReportsModule,
    BackTestsModule,
    PolicyUseModule,
    ExplanationsModule,
    RequestLogModule,
    TokenPricesModule,
    AlertsModule,
  ],
})
export class ActivityModule {}
