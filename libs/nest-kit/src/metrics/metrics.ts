import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** What Prometheus reads of this process: one registry, Node's own numbers in it from the start. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly contentType = this.registry.contentType;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Every number as it is now, in Prometheus' text format. */
  render(): Promise<string> {
    return this.registry.metrics();
  }
}
