import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Registry } from 'prom-client';
import { LedgerMetrics } from './ledger-metrics';

/** What Prometheus scrapes. */
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(LedgerMetrics) private readonly metrics: LedgerMetrics) {}

  @Get()
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  render(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
