import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { MAX_SNAPSHOT_WEBHOOKS } from '@paymaster/messaging';
import { parseWebhookUrl, WebhookError, webhookSecret } from '@paymaster/webhooks';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import {
  InvalidBodyError,
  LimitReachedError,
  WebhookNotFoundError,
  WebhooksNotSetUpError,
} from '../../platform/http/dashboard-errors';
import type { Editor } from '../../access/callers/caller';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { PoliciesRepository } from '../../programs/policies/policies.repository';
import { shownUrl } from '../../programs/policies/shown-url';
import { PolicyWriter } from '../../programs/policy-changes/policy-writer';
import type { Webhook } from './webhook';
import type { CreateWebhookDto } from './webhook.dto';
import { WebhookSender } from './webhook-sender';
import {
  presentWebhook,
  type CreatedWebhookView,
  type WebhookSecretsView,
  type WebhookTestView,
  type WebhookView,
} from './webhook.view';
import { WebhooksRepository } from './webhooks.repository';

const DEFAULT_LOW_BALANCE_HOURS = 24;
const TEST_TYPE = 'webhook.test';
/** Somebody waits in front of a page. */
const TEST_TIMEOUT_MS = 5_000;

/** Who is asked and told about a paymaster's operations. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly policies: PoliciesRepository,
    private readonly writer: PolicyWriter,
    private readonly sender: WebhookSender,
    @Inject(DashboardConfig)
    private readonly config: Pick<DashboardConfig, 'webhookAllowInsecure' | 'webhookSigningKey'>,
  ) {}

  /** @throws {InvalidBodyError} naming the field; {LimitReachedError}; {WebhooksNotSetUpError} */
  async create({ paymaster, actor }: Editor, body: CreateWebhookDto): Promise<CreatedWebhookView> {
    const webhook = this.toWebhook(paymaster, body);
    const secrets = this.secretsOf(webhook.id, [1]);
    await this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      if ((await this.webhooks.listOf(paymaster.id, manager)).length >= MAX_SNAPSHOT_WEBHOOKS) {
        throw new LimitReachedError(`A paymaster can have at most ${MAX_SNAPSHOT_WEBHOOKS} webhooks`);
      }
      await this.webhooks.insert(manager, webhook);
      record({ subject: 'webhook', subjectId: webhook.id, before: null, after: presentWebhook(webhook) });
    });
    return { ...presentWebhook(webhook), secrets };
  }

  /** All webhooks, or the one that is named. @param may what the caller may do @throws {WebhookNotFoundError} */
  async list(paymaster: Paymaster, webhookId: unknown, may: readonly Need[]): Promise<WebhookView[]> {
    const webhooks =
      webhookId === undefined
        ? await this.webhooks.listOf(paymaster.id)
        : [await this.find(paymaster, String(webhookId))];
    return webhooks.map((webhook) => presentWebhook({ ...webhook, url: shownUrl(webhook.url, may) }));
  }

  /** @throws {WebhookNotFoundError} */
  async setActive({ paymaster, actor }: Editor, { webhookId, active }: { webhookId: string; active: boolean }) {
    const webhook = await this.find(paymaster, webhookId);
    await this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      await this.webhooks.setActive(manager, webhook.id, active);
      const [before, after] = [presentWebhook(webhook), presentWebhook({ ...webhook, active })];
      record({ subject: 'webhook', subjectId: webhook.id, before, after });
    });
  }

  /** @throws {WebhookNotFoundError} */
  async delete({ paymaster, actor }: Editor, webhookId: string): Promise<void> {
    const webhook = await this.find(paymaster, webhookId);
    await this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      await this.webhooks.delete(manager, webhook.id);
      record({ subject: 'webhook', subjectId: webhook.id, before: presentWebhook(webhook), after: null });
    });
  }

  /** Of a webhook or a WEBHOOK policy. @throws {WebhookNotFoundError} */
  async secrets(paymaster: Paymaster, webhookId: unknown): Promise<WebhookSecretsView> {
    const id = await this.findSigned(paymaster, String(webhookId));
    const versions = (await this.webhooks.secretVersions([id])).get(id) ?? [1];
    return { webhookId: id, secrets: this.secretsOf(id, versions) };
  }

  /** A new secret; the one before stays in force for a day. @throws {WebhookNotFoundError} */
  async rotate({ paymaster, actor }: Editor, webhookId: string): Promise<WebhookSecretsView> {
    const id = await this.findSigned(paymaster, webhookId);
    this.secretsOf(id, [1]);
    await this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      const before = (await this.webhooks.secretVersions([id], manager)).get(id) ?? [1];
      await this.webhooks.rotate(manager, id);
      const versions = [Number(before[0]) + 1, before[0]];
      record({
        subject: 'webhook',
        subjectId: id,
        before: { secretVersions: before },
        after: { secretVersions: versions },
      });
    });
    return this.secrets(paymaster, id);
  }

  /**
   * Sends an event that means nothing, once, also to a paused webhook; the log of deliveries does not have it.
   *
   * @throws {WebhookNotFoundError} {@link InvalidBodyError} {@link WebhooksNotSetUpError}
   */
  async test(paymaster: Paymaster, webhookId: string): Promise<WebhookTestView> {
    const { id, url, events } = await this.find(paymaster, webhookId);
    if (events.length === 0) throw new InvalidBodyError('webhookId must be that of a webhook with events');
    const { id: paymasterId, chainId } = paymaster;
    const body = JSON.stringify({
      type: TEST_TYPE,
      timestamp: new Date().toISOString(),
      data: { paymasterId, chainId },
    });
    const startedMs = performance.now();
    const sent = await this.sender.send({
      webhookId: id,
      url,
      eventId: randomUUID(),
      body,
      timeoutMs: TEST_TIMEOUT_MS,
    });
    return { ...sent, tookMs: Math.round(performance.now() - startedMs) };
  }

  /** @throws {WebhookNotFoundError} */
  async find(paymaster: Paymaster, id: string): Promise<Webhook> {
    const webhook = await this.webhooks.find({ paymasterId: paymaster.id, id });
    if (!webhook) throw new WebhookNotFoundError();
    return webhook;
  }

  private async findSigned(paymaster: Paymaster, id: string): Promise<string> {
    const policy = await this.policies.find({ paymasterId: paymaster.id, id });
    return policy?.policyType === 'WEBHOOK' ? policy.id : (await this.find(paymaster, id)).id;
  }

  private secretsOf(webhookId: string, versions: readonly number[]): string[] {
    const { webhookSigningKey } = this.config;
    if (!webhookSigningKey) throw new WebhooksNotSetUpError();
    const signingKey = Buffer.from(webhookSigningKey, 'hex');
    return versions.map((version) => webhookSecret({ signingKey, webhookId, version }));
  }

  private toWebhook(paymaster: Paymaster, body: CreateWebhookDto): Webhook {
    const { requestType, active = true, events = [], lowBalanceHours = DEFAULT_LOW_BALANCE_HOURS } = body;
    if (events.length > 0 && requestType !== 'POST') {
      throw new InvalidBodyError('requestType must be POST for a webhook with events');
    }
    return {
      ...{ id: randomUUID(), paymasterId: paymaster.id, requestType, active, events },
      url: this.parseUrl(body.webhookUrl),
      lowBalanceHours: events.includes('walletLow') ? lowBalanceHours : null,
    };
  }

  private parseUrl(text: string): string {
    try {
      return parseWebhookUrl(text, { allowInsecure: this.config.webhookAllowInsecure }).href;
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      throw new InvalidBodyError(`webhookUrl is refused: ${error.message}`);
    }
  }
}
