import { Inject, Injectable } from '@nestjs/common';
import { WebhookClient, WebhookError } from '@paymaster/webhooks';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { WebhooksNotSetUpError } from '../../platform/http/dashboard-errors';
import { WebhooksRepository } from './webhooks.repository';

const MAX_ANSWER_CHARACTERS = 1_024;

/** A message to an event webhook. */
export interface WebhookMessage {
  readonly webhookId: string;
  readonly url: string;
  /** Stays the same when it is sent again. */
  readonly eventId: string;
  readonly body: string;
  readonly timeoutMs: number;
}

/** What the server said, or why it said nothing. */
export interface SentMessage {
  readonly delivered: boolean;
  readonly status: number | null;
  /** The first 1 KiB. */
  readonly answer: string | null;
  readonly problem: string | null;
}

/** Sends signed messages to event webhooks. */
@Injectable()
export class WebhookSender {
  private readonly client: WebhookClient | undefined;

  constructor(
    @Inject(DashboardConfig) config: Pick<DashboardConfig, 'webhookSigningKey' | 'webhookAllowInsecure'>,
    private readonly webhooks: WebhooksRepository,
  ) {
    const { webhookSigningKey, webhookAllowInsecure: allowInsecure } = config;
    if (!webhookSigningKey) return;
    this.client = new WebhookClient({ signingKey: Buffer.from(webhookSigningKey, 'hex'), allowInsecure });
  }

  /** Whether the operator has set up webhooks. */
  get isSetUp(): boolean {
    return this.client !== undefined;
  }

  /** @throws {WebhooksNotSetUpError} */
  async send({ webhookId, url, eventId, body, timeoutMs }: WebhookMessage): Promise<SentMessage> {
    if (!this.client) throw new WebhooksNotSetUpError();
    const secretVersions = (await this.webhooks.secretVersions([webhookId])).get(webhookId) ?? [1];
    const request = { webhookId, secretVersions, url, method: 'POST' as const, messageId: eventId, body, timeoutMs };
    try {
      const { status, body: said } = await this.client.send(request);
      // Postgres text has no NUL.
      const answer = said.slice(0, MAX_ANSWER_CHARACTERS).replaceAll('\0', '');
      return { delivered: status >= 200 && status < 300, status, answer, problem: null };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return { delivered: false, status: null, answer: null, problem: error.message };
    }
  }
}
