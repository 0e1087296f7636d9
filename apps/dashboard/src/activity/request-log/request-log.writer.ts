import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import {
  MessageAuthenticator,
  RequestLogReceiver,
  type RequestLogBatch,
  type RequestLogReply,
} from '@paymaster/messaging';
import { Metrics, type Tally } from '@paymaster/nest-kit';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { isDatabaseUnavailable } from '../../platform/database/database-unavailable';
import { RequestLogRepository } from './request-log.repository';

/** Writes what gateways tell for the request log. One process writes each batch. */
@Injectable()
export class RequestLogWriter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RequestLogWriter.name);
  private readonly receiver: RequestLogReceiver;
  private readonly kept: Tally;
  private readonly leftOut: Tally;

  constructor(
    config: DashboardConfig,
    authenticator: MessageAuthenticator,
    metrics: Metrics,
    private readonly log: RequestLogRepository,
  ) {
    const write = (batch: RequestLogBatch) => this.write(batch);
    this.receiver = new RequestLogReceiver({ nats: config, name: 'dashboard requests', authenticator, write });
    const entries = metrics.counter({
      name: 'paymaster_request_log_entries_total',
      help: 'Requests that gateways told for the request log: kept, or left out because a paymaster or the log is full',
      labelNames: ['fate'],
    });
    this.kept = entries.tally({ fate: 'kept' });
    this.leftOut = entries.tally({ fate: 'over_bound' });
  }

  onApplicationBootstrap(): void {
    this.receiver.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.receiver.close();
  }

  /** What the database cannot take at the moment is sent again by its gateway; what it never takes is not. */
  private async write(batch: RequestLogBatch): Promise<RequestLogReply> {
    try {
      const { kept, leftOut } = await this.log.write(batch);
      this.kept.value += kept;
      this.leftOut.value += leftOut;
      return 'written';
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const problem = error instanceof Error ? error.message : 'unknown';
      this.logger.error({ problem, entries: batch.entries.length }, 'a batch of the request log cannot be written');
      return 'unreadable';
    }
  }
}
