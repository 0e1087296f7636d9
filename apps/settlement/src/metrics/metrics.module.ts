import { Module } from '@nestjs/common';
import { LedgerMetrics } from './ledger-metrics';
import { MetricsController } from './metrics.controller';

@Module({ controllers: [MetricsController], providers: [LedgerMetrics], exports: [LedgerMetrics] })
export class MetricsModule {}
