import { Module, type DynamicModule } from '@nestjs/common';
import { createDigestHasher, type ChainConfig, type Signer } from '@paymaster/chain';
import { createNatsClient, MessageAuthenticator, PolicyClient } from '@paymaster/messaging';
import { HealthModule, loggerModule } from '@paymaster/nest-kit';
import { CallerService } from './callers/caller.service';
import { PricesHealth } from './chains/prices-health';
import { CHAIN_CONFIGS, ServedChains } from './chains/served-chains';
import { SIGNER } from './chains/signer.token';
import { PaymasterRpcConfig } from './config/paymaster-rpc.config';
import { JsonRpcServer } from './json-rpc/json-rpc.server';
import { MethodRegistry } from './json-rpc/method-registry';
import { appLoggerProvider } from './logging/app-logger';
import { methodProviders } from './methods';
import { PolicySnapshots } from './policy-snapshots/policy-snapshots.service';
import { DecisionLog } from './sponsorship/decision-log';
import { SponsorUserOperation } from './sponsorship/sponsor-user-operation.service';
import { DIGEST_HASHER, SponsorshipSigner } from './sponsorship/sponsorship-signer.service';
import { StubSponsorship } from './sponsorship/stub-sponsorship.service';
import { PayInToken } from './token-mode/pay-in-token.service';
import { QuoteUserOperation } from './token-mode/quote-user-operation.service';
import { StubTokenPayment } from './token-mode/stub-token-payment.service';

/** The gateway: stateless but for caches; everything it must not lose belongs to somebody else. */
@Module({})
export class AppModule {
  static register(config: PaymasterRpcConfig, signer: Signer, chains: readonly ChainConfig[]): DynamicModule {
    const gateway: DynamicModule = {
      module: GatewayModule,
      providers: [
        { provide: PaymasterRpcConfig, useValue: config },
        { provide: CHAIN_CONFIGS, useValue: chains },
        { provide: SIGNER, useValue: signer },
        { provide: DIGEST_HASHER, useFactory: createDigestHasher },
        {
          provide: PolicyClient,
          useFactory: () =>
            new PolicyClient(
              createNatsClient(config, 'paymaster-rpc'),
              new MessageAuthenticator(config.apiKeyIndexKey),
            ),
        },
        appLoggerProvider,
        ServedChains,
        PolicySnapshots,
        CallerService,
        DecisionLog,
        SponsorshipSigner,
        SponsorUserOperation,
        StubSponsorship,
        QuoteUserOperation,
        PayInToken,
        StubTokenPayment,
        PricesHealth,
        MethodRegistry,
        JsonRpcServer,
        ...methodProviders,
      ],
      exports: [PolicySnapshots, ServedChains, SponsorshipSigner, PricesHealth],
    };
    return {
      module: AppModule,
      imports: [
        loggerModule({ service: 'paymaster-rpc', level: config.logLevel, buffered: true }),
        gateway,
        HealthModule.register({
          imports: [gateway],
          checks: [PolicySnapshots, ServedChains, SponsorshipSigner, PricesHealth],
        }),
      ],
    };
  }
}

/** What signs; apart from {@link AppModule}, so that the health checks can import it. */
@Module({})
class GatewayModule {}
