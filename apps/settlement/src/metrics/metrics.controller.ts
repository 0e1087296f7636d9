import { Controller, Get, Header } from '@nestjs/common';
import { Metrics } from '@paymaster/nest-kit';
import { Registry } from 'prom-client';

/** What Prometheus scrapes. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  render(): Promise<string> {
    return this.metrics.render();
  }
}
