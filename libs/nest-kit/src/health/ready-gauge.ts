import { Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics';
import { HealthService } from './health.service';

/** Readiness as a number, by the same check as a probe. */
@Injectable()
export class ReadyGauge {
  constructor(metrics: Metrics, health: HealthService) {
    const help = '1 while this process can do its job and does not drain';
    metrics.gauge({ name: 'paymaster_ready', help }, async () =>
      (await health.summarize()).status === 'unavailable' ? 0 : 1,
    );
  }
}
