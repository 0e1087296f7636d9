import { Injectable } from '@nestjs/common';
import { Metrics, type TallyCounter, type TimingHistogram } from '@paymaster/nest-kit';
import { RequestMeter, type RequestMode } from './request-meter';

/** The value of a label that has no value. */
export const NONE = 'none';

/**
 * Counts requests by method, mode, outcome and reason. All four labels have a fixed set of values: the name of an
 * unknown method is not used, and every reason is in `REASONS`.
 */
@Injectable()
export class RpcMetrics {
  /** HTTP requests that are being answered. */
  inFlight = 0;
  /** Requests without a known method: the frame is wrong, or the method does not exist. */
  readonly withoutMethod: RequestMeter;
  private readonly requests: TallyCounter;
  private readonly seconds: TimingHistogram;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter({
      name: 'paymaster_rpc_requests_total',
      help: 'JSON-RPC requests that were answered, an entry of a batch being one',
      labelNames: ['method', 'mode', 'outcome', 'reason'],
    });
    this.seconds = metrics.histogram({
      name: 'paymaster_rpc_request_seconds',
      help: 'How long answers to JSON-RPC requests took, from the whole body to the answer',
      labelNames: ['method', 'mode'],
    });
    metrics.gauge(
      { name: 'paymaster_rpc_in_flight', help: 'HTTP requests that are being answered' },
      () => this.inFlight,
    );
    this.withoutMethod = this.meter(NONE, NONE);
  }

  /** A meter of a method that exists; call it once for each mode. */
  meter(method: string, mode: RequestMode): RequestMeter {
    return new RequestMeter(this.requests, this.seconds, { method, mode });
  }
}
