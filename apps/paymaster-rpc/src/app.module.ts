import { Module, type DynamicModule, type FactoryProvider, type ValueProvider } from '@nestjs/common';
import { createDigestHasher, type ChainConfig, type OpenedSigners } from '@paymaster/chain';
import type { Ledger } from '@paymaster/ledger';
import { createNatsClient, indexKeysOf, MessageAuthenticator, PolicyClient } from '@paymaster/messaging';
import { HealthModule, loggerModule, TracingModule } from '@paymaster/nest-kit';
import type { Logger } from 'pino';
import { Bundling } from './bundlers/bundling.service';
import { SentOperations } from './bundlers/sent-operations';
import { CallerService } from './callers/caller.service';
import { LedgerHealth } from './chains/ledger-health';
import { LedgerTrouble } from './chains/ledger-trouble';
import { LEDGER } from './chains/ledger.token';
import { openGatewayLedger } from './chains/open-gateway-ledger';
import { PricesHealth } from './chains/prices-health';
import { CHAIN_CONFIGS, ServedChains } from './chains/served-chains';
import { SIGNERS } from './chains/signer.token';
import { DEADLINES, type Deadlines } from './platform/config/deadlines';
import { PaymasterRpcConfig } from './platform/config/paymaster-rpc.config';
import { DIALECTS } from './wire/dialects';
import { JsonRpcServer } from './wire/json-rpc/json-rpc.server';
import { MethodRegistry } from './wire/json-rpc/method-registry';
import { SPOKEN_DIALECTS } from './wire/json-rpc/rpc-method';
import { APP_LOGGER, appLoggerProvider } from './platform/logging/app-logger';
import { openRpcDialect } from './wire/open-rpc/rpc.discover';
import { Operations } from './wire/operations/operations.service';
import { OwnerQuestions } from './owner/owner-questions.service';
import { PolicySnapshots } from './snapshots/policy-snapshots.service';
import { Refusals } from './decide/verdict/refusals.service';
import { Reservations } from './hold/reservations.service';
import { ChainGauges } from './metrics/chain-gauges';
import { DecisionMetrics } from './metrics/decision-metrics';
import { LedgerGauges } from './metrics/ledger-gauges';
import { PolicyGauges } from './metrics/policy-gauges';
import { RateGauges } from './metrics/rate-gauges';
import { ReserveMetrics } from './metrics/reserve-metrics';
import { RpcMetrics } from './metrics/rpc-metrics';
import { SignerMetrics } from './metrics/signer-metrics';
import { TokenGauges } from './metrics/token-gauges';
import { DecisionLog } from './decide/verdict/decision-log';
import { ExplainOperation } from './answers/explain-operation.service';
import { JudgeOperation } from './decide/verdict/judge-operation.service';
import { DECISION_WEBHOOKS, OwnerDecisions } from './decide/verdict/owner-decisions.service';
import { OwnerPolicies } from './decide/facts/owner-policies.service';
import { SignWhenSent } from './answers/sign-when-sent.service';
import { SponsorUserOperation } from './answers/sponsor-user-operation.service';
import { DIGEST_HASHER, SponsorshipSigner } from './sign/sponsorship-signer.service';
import { StubSponsorship } from './answers/stub-sponsorship.service';
import { openDecisionWebhooks } from './decide/webhooks/open-decision-webhooks';
import { PayInToken } from './answers/pay-in-token.service';
import { QuoteUserOperation } from './answers/quote-user-operation.service';
import { StubTokenPayment } from './answers/stub-token-payment.service';

/** The gateway. It has no state besides caches: everything that must not be lost is in Postgres or in the dashboard. */
@Module({})
export class AppModule {
  static register(
    config: PaymasterRpcConfig,
    {
      signers,
      chains,
      ledger,
      deadlines,
    }: { signers: OpenedSigners; chains: readonly ChainConfig[]; ledger?: Ledger | undefined; deadlines: Deadlines },
  ): DynamicModule {
    const gateway: DynamicModule = {
      module: GatewayModule,
      providers: [
        { provide: PaymasterRpcConfig, useValue: config },
        { provide: CHAIN_CONFIGS, useValue: chains },
        { provide: SIGNERS, useValue: signers },
        { provide: DEADLINES, useValue: deadlines },
        { provide: DIGEST_HASHER, useFactory: createDigestHasher },
        {
          provide: PolicyClient,
          useFactory: () =>
            new PolicyClient(
              createNatsClient(config, 'paymaster-rpc'),
              new MessageAuthenticator(indexKeysOf(config)),
              deadlines.policyMs,
            ),
        },
        appLoggerProvider,
        LedgerTrouble,
        ledgerProvider(ledger, deadlines),
        ServedChains,
        PolicySnapshots,
        CallerService,
        DecisionLog,
        SponsorshipSigner,
        JudgeOperation,
        OwnerPolicies,
        {
          provide: DECISION_WEBHOOKS,
          inject: [DecisionMetrics],
          useFactory: (observer: DecisionMetrics) =>
            openDecisionWebhooks(config, { timeoutMs: deadlines.decisionMs, observer }),
        },
        OwnerDecisions,
        ExplainOperation,
        Reservations,
        Refusals,
        SignWhenSent,
        SponsorUserOperation,
        StubSponsorship,
        QuoteUserOperation,
        PayInToken,
        StubTokenPayment,
        SentOperations,
        Bundling,
        PricesHealth,
        LedgerHealth,
        RpcMetrics,
        ReserveMetrics,
        DecisionMetrics,
        SignerMetrics,
        LedgerGauges,
        PolicyGauges,
        RateGauges,
        ChainGauges,
        TokenGauges,
        Operations,
        OwnerQuestions,
        { provide: SPOKEN_DIALECTS, useValue: [...DIALECTS, openRpcDialect(DIALECTS)] },
        MethodRegistry,
        JsonRpcServer,
      ],
      exports: [PolicySnapshots, ServedChains, SponsorshipSigner, PricesHealth, LedgerHealth],
    };
    return {
      module: AppModule,
      imports: [
        loggerModule({ service: 'paymaster-rpc', level: config.logLevel, perRequest: false, buffered: true }),
        TracingModule.register(config),
        gateway,
        HealthModule.register({
          imports: [gateway],
          checks: [PolicySnapshots, ServedChains, SponsorshipSigner, LedgerHealth, PricesHealth],
          monitorPort: config.monitorPort,
        }),
      ],
    };
  }
}

/** The ledger that the caller gives, or the ledger of the configuration. */
function ledgerProvider(ledger: Ledger | undefined, { ledgerMs }: Deadlines): ValueProvider | FactoryProvider {
  if (ledger) return { provide: LEDGER, useValue: ledger };
  return {
    provide: LEDGER,
    inject: [PaymasterRpcConfig, LedgerTrouble, APP_LOGGER, ReserveMetrics],
    useFactory: (config: PaymasterRpcConfig, trouble: LedgerTrouble, logger: Logger, { decided }: ReserveMetrics) =>
      openGatewayLedger(config, { trouble, logger, onBatch: decided, deadlineMs: ledgerMs }),
  };
}

/** Provides the signers; a module apart from {@link AppModule}, so that the health checks can import it. */
@Module({})
class GatewayModule {}
