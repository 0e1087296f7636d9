import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Registry, type Metric } from 'prom-client';
import { Reading, type Read } from './reading';
import type { MetricDescription, ScrapedMetric } from './scraped-metric';
import { TallyCounter } from './tally';
import { TimingHistogram } from './timing';

/** Upper bounds of the histograms of requests; seconds. */
export const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/**
 * The numbers that Prometheus reads of this process: one registry, with Node's own numbers from the start. Names begin
 * with `paymaster_` (settlement's: `settlement_`). Labels are bounded words of ours, never a key, a URL or client
 * input.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly contentType = this.registry.contentType;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A counter: look a tally up once, then add to it. */
  counter(description: MetricDescription): TallyCounter {
    return this.register(new TallyCounter(description));
  }

  /** @param description with the upper bounds of its buckets, ascending; those of requests by default */
  histogram(description: MetricDescription & { readonly bounds?: readonly number[] }): TimingHistogram {
    return this.register(new TimingHistogram({ bounds: REQUEST_SECONDS, ...description }));
  }

  /** A number that is read when Prometheus asks. */
  gauge(description: MetricDescription, read: () => Read | Promise<Read>): void {
    this.register(new Reading('gauge', description, read));
  }

  /** A number that only grows, counted elsewhere and read when Prometheus asks. */
  total(description: MetricDescription, read: () => Read | Promise<Read>): void {
    this.register(new Reading('counter', description, read));
  }

  /** Every number as it is now, in Prometheus' text format. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  private register<T extends ScrapedMetric>(metric: T): T {
    // The registry only calls `get`, but its type requires prom-client's own class.
    this.registry.registerMetric(metric as unknown as Metric);
    return metric;
  }
}
