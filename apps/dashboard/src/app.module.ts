import { Module, type DynamicModule } from '@nestjs/common';
import { HealthModule, loggerModule, TracingModule } from '@paymaster/nest-kit';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { AuditLogModule } from './audit-log/audit-log.module';
import { AuthTokensModule } from './auth-tokens/auth-tokens.module';
import { BackTestsModule } from './back-tests/back-tests.module';
import { ChainsApiModule } from './chains/chains-api.module';
import { ConfigModule } from './config/config.module';
import type { DashboardConfig } from './config/dashboard.config';
import { DatabaseHealthCheck } from './database/database.health-check';
import { DatabaseModule } from './schema/database.module';
import { EventStreamsModule } from './event-streams/event-streams.module';
import { ExplanationsModule } from './explanations/explanations.module';
import { FundingModule } from './funding/funding.module';
import { HttpModule } from './http/http.module';
import { MembersModule } from './members/members.module';
import { DashboardMetricsModule } from './metrics/metrics.module';
import { NamedKeysModule } from './named-keys/named-keys.module';
import { OperationsConsumer } from './operations/operations.consumer';
import { OperationsModule } from './operations/operations.module';
import { OperatorModule } from './operator/operator.module';
import { PaymastersModule } from './paymasters/api/paymasters.module';
import { PoliciesModule } from './policies/policies.module';
import { PolicyUseModule } from './policy-use/policy-use.module';
import { PolicyTransferModule } from './policy-transfer/policy-transfer.module';
import { PolicyChangePublisher } from './policy-changes/policy-change.publisher';
import { PolicyChangesModule } from './policy-changes/policy-changes.module';
import { PolicySnapshotsModule } from './policy-snapshots/policy-snapshots.module';
import { RetentionModule } from './retention/retention.module';
import { SessionKeysModule } from './session-keys/session-keys.module';
import { SharedPoliciesModule } from './shared-policies/shared-policies.module';
import { SignInModule } from './sign-in/sign-in.module';
import { SmartContractsModule } from './smart-contracts/smart-contracts.module';
import { TokenPricesModule } from './token-prices/token-prices.module';
import { TokensModule } from './tokens/tokens.module';
import { WalletReportsModule } from './wallet-reports/wallet-reports.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/** The whole service, made of one module per feature. */
@Module({})
export class AppModule {
  static register(config: Readonly<DashboardConfig>): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(config),
        loggerModule({ service: 'dashboard', level: config.logLevel }),
        TracingModule.register(config),
        DatabaseModule,
        HttpModule,
        SignInModule,
        ChainsApiModule,
        MembersModule,
        AuthTokensModule,
        PaymastersModule,
        ApiKeysModule,
        NamedKeysModule,
        SessionKeysModule,
        SmartContractsModule,
        TokensModule,
        PoliciesModule,
        SharedPoliciesModule,
        PolicyTransferModule,
        FundingModule,
        OperationsModule,
        OperatorModule,
        AuditLogModule,
        EventStreamsModule,
        WebhooksModule,
        WalletReportsModule,
        BackTestsModule,
        PolicyUseModule,
        ExplanationsModule,
        TokenPricesModule,
        RetentionModule,
        PolicySnapshotsModule,
        DashboardMetricsModule,
        HealthModule.register({
          imports: [DatabaseModule, PolicyChangesModule, OperationsModule],
          checks: [DatabaseHealthCheck, PolicyChangePublisher, OperationsConsumer],
          monitorPort: config.monitorPort,
        }),
      ],
    };
  }
}
