import { Module, type DynamicModule } from '@nestjs/common';
import { HealthModule, loggerModule, TracingModule } from '@paymaster/nest-kit';
import { ApiKeysModule } from './programs/api-keys/api-keys.module';
import { AuditLogModule } from './activity/audit-log/audit-log.module';
import { AuthTokensModule } from './access/auth-tokens/auth-tokens.module';
import { BackTestsModule } from './activity/back-tests/back-tests.module';
import { ChainsApiModule } from './programs/chains/chains-api.module';
import { ConfigModule } from './platform/config/config.module';
import type { DashboardConfig } from './platform/config/dashboard.config';
import { DatabaseHealthCheck } from './platform/database/database.health-check';
import { DatabaseModule } from './schema/database.module';
import { EventStreamsModule } from './activity/event-streams/event-streams.module';
import { ExplanationsModule } from './activity/explanations/explanations.module';
import { FundingModule } from './programs/funding/funding.module';
import { HttpModule } from './access/callers/http.module';
import { MembersModule } from './access/members/members.module';
import { DashboardMetricsModule } from './metrics/metrics.module';
import { NamedKeysModule } from './programs/named-keys/named-keys.module';
import { OperationsConsumer } from './activity/operations/operations.consumer';
import { OperationsModule } from './activity/operations/operations.module';
import { OperatorModule } from './operator/operator.module';
import { PaymastersModule } from './programs/paymasters/paymasters.module';
import { PoliciesModule } from './programs/policies/policies.module';
import { PolicyUseModule } from './activity/policy-use/policy-use.module';
import { PolicyTransferModule } from './programs/policy-transfer/policy-transfer.module';
import { PolicyChangePublisher } from './programs/policy-changes/policy-change.publisher';
import { PolicyChangesModule } from './programs/policy-changes/policy-changes.module';
import { PolicySnapshotsModule } from './outbound/policy-snapshots/policy-snapshots.module';
import { RetentionModule } from './platform/retention/retention.module';
import { SessionKeysModule } from './programs/session-keys/session-keys.module';
import { SharedPoliciesModule } from './programs/shared-policies/shared-policies.module';
import { SignInModule } from './access/sign-in/sign-in.module';
import { SmartContractsModule } from './programs/smart-contracts/smart-contracts.module';
import { TokenPricesModule } from './activity/token-prices/token-prices.module';
import { TokensModule } from './programs/tokens/tokens.module';
import { WalletReportsModule } from './activity/wallet-reports/wallet-reports.module';
import { WebhooksModule } from './outbound/webhooks/webhooks.module';

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
