import { Module } from '@nestjs/common';
import { BundlersModule } from '../bundlers/bundlers.module';
import { CallersModule } from '../callers/callers.module';
import { ChainsModule } from '../chains/chains.module';
import { SnapshotsModule } from '../snapshots/snapshots.module';
import { ChainGauges } from './chain-gauges';
import { LedgerGauges } from './ledger-gauges';
import { PolicyGauges } from './policy-gauges';
import { RateGauges } from './rate-gauges';
import { RpcMetrics } from './rpc-metrics';
import { SignerMetrics } from './signer-metrics';
import { TokenGauges } from './token-gauges';

/** The numbers of the whole gateway; what one area counts for itself is in that area. */
@Module({
  imports: [BundlersModule, CallersModule, ChainsModule, SnapshotsModule],
  providers: [ChainGauges, LedgerGauges, PolicyGauges, RateGauges, RpcMetrics, SignerMetrics, TokenGauges],
  exports: [RpcMetrics],
})
export class GatewayMetricsModule {}
