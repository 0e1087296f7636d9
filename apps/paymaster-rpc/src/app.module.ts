import { Module, type DynamicModule } from '@nestjs/common';
import { HealthModule } from '@paymaster/nest-kit';
import { AnswersModule } from './answers/answers.module';
import { BundlersModule } from './bundlers/bundlers.module';
import { CallersModule } from './callers/callers.module';
import { ChainsModule } from './chains/chains.module';
import { LedgerHealth } from './chains/ledger-health';
import { PricesHealth } from './chains/prices-health';
import { ServedChains } from './chains/served-chains';
import { DecideModule } from './decide/decide.module';
import { HoldModule } from './hold/hold.module';
import { GatewayMetricsModule } from './metrics/gateway-metrics.module';
import { OwnerModule } from './owner/owner.module';
import type { Opened } from './platform/config/opened';
import type { PaymasterRpcConfig } from './platform/config/paymaster-rpc.config';
import { PlatformModule } from './platform/platform.module';
import { SignModule } from './sign/sign.module';
import { SponsorshipSigner } from './sign/sponsorship-signer.service';
import { PolicySnapshots } from './snapshots/policy-snapshots.service';
import { SnapshotsModule } from './snapshots/snapshots.module';
import { WireModule } from './wire/wire.module';

/**
 * The gateway, one module per area. It has no state besides caches: everything that must not be lost is in Postgres or
 * in the dashboard.
 */
@Module({})
export class AppModule {
  static register(config: PaymasterRpcConfig, opened: Opened): DynamicModule {
    return {
      module: AppModule,
      // The lowest first: Nest starts them in this order and stops them in the reverse one.
      imports: [
        PlatformModule.register(config, opened),
        SnapshotsModule,
        ChainsModule,
        CallersModule,
        HoldModule,
        DecideModule,
        SignModule,
        AnswersModule,
        BundlersModule,
        GatewayMetricsModule,
        WireModule,
        OwnerModule,
        HealthModule.register({
          imports: [SnapshotsModule, ChainsModule, SignModule],
          checks: [PolicySnapshots, ServedChains, SponsorshipSigner, LedgerHealth, PricesHealth],
          monitorPort: config.monitorPort,
        }),
      ],
    };
  }
}
