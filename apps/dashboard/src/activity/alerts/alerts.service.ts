import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { parseWebhookUrl, WebhookError, webhookSecret } from '@paymaster/webhooks';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import {
  AlertNotFoundError,
  InvalidBodyError,
  LimitReachedError,
  TooManyRequestsError,
  VersionConflictError,
} from '../../platform/http/dashboard-errors';
import type { Editor } from '../../access/callers/caller';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PolicyWriter } from '../../programs/policy-changes/policy-writer';
import type { WebhookTestView } from '../../outbound/webhooks/webhook.view';
import type { Alert, AlertKind, Destination } from './alert';
import { AlertDeliveries } from './alert-deliveries';
import type { CreateAlertDto, UpdateAlertDto } from './alert.dto';
import { AlertSender } from './alert-sender';
import {
  presentAlert,
  presentAlertDelivery,
  type AlertDeliveryView,
  type AlertView,
  type CreatedAlertView,
} from './alert.view';
import { AlertsRepository } from './alerts.repository';

const MOST_ALERTS = 10;
const LOG_LENGTH = 50;
/** Somebody waits in front of a page. */
const TEST_TIMEOUT_MS = 5_000;

/** What says where an alert goes, by its kind. */
const FIELDS_OF: Readonly<Record<AlertKind, readonly (keyof Destination)[]>> = {
  MAIL: ['mail'],
  SLACK: ['url'],
  DISCORD: ['url'],
  TELEGRAM: ['botToken', 'chatId'],
  WEBHOOK: ['url'],
};
const DESTINATION_FIELDS = ['mail', 'url', 'botToken', 'chatId'] as const;

/** Who is told when something is wrong with a paymaster. */
@Injectable()
export class AlertsService {
  constructor(
    private readonly alerts: AlertsRepository,
    private readonly deliveries: AlertDeliveries,
    private readonly sender: AlertSender,
    private readonly writer: PolicyWriter,
    @Inject(DashboardConfig)
    private readonly config: Pick<DashboardConfig, 'webhookAllowInsecure' | 'webhookSigningKey'>,
  ) {}

  async list({ id }: Paymaster): Promise<AlertView[]> {
    return (await this.alerts.listOf(id)).map(presentAlert);
  }

  /** @throws {InvalidBodyError} naming the field; {LimitReachedError}; {MailNotSetUpError}; {WebhooksNotSetUpError} */
  async create({ paymaster, actor }: Editor, body: CreateAlertDto): Promise<CreatedAlertView> {
    const { kind, name, about, active = true } = body;
    this.sender.refuseIfNotSetUp(kind);
    const base = { id: randomUUID(), paymasterId: paymaster.id, kind, name, active, version: 1 };
    const alert: Alert = { ...base, ...termsOf({ ...body, about }), ...this.destinationOf({ ...base, sent: body }) };
    await this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      if ((await this.alerts.listOf(paymaster.id, manager)).length >= MOST_ALERTS) {
        throw new LimitReachedError(`A paymaster can have at most ${MOST_ALERTS} alerts`);
      }
      await this.alerts.save(manager, alert);
      record({ subject: 'alert', subjectId: alert.id, before: null, after: presentAlert(alert) });
    });
    return { ...presentAlert(alert), ...(kind === 'WEBHOOK' && { secret: this.secretOf(alert.id) }) };
  }

  /** @throws {AlertNotFoundError} {@link VersionConflictError} {@link InvalidBodyError} naming the field */
  async update({ paymaster, actor }: Editor, alertId: string, body: UpdateAlertDto): Promise<AlertView> {
    return this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      const before = await this.alerts.find({ paymasterId: paymaster.id, id: alertId }, manager);
      if (!before) throw new AlertNotFoundError();
      if (body.expectedVersion !== undefined && body.expectedVersion !== before.version) {
        throw new VersionConflictError('alert', before.version);
      }
      const { name = before.name, active = before.active } = body;
      const after: Alert = {
        ...{ ...before, name, active, version: before.version + 1 },
        ...termsOf({ ...before, ...withoutUndefined(body) }),
        ...this.destinationOf({ ...before, sent: body, known: before }),
      };
      await this.alerts.save(manager, after);
      const resumes = after.active && !before.active;
      if (resumes) await this.alerts.forgetWaiting(manager, alertId);
      if (resumes || !isDeepStrictEqual(toldBy(before), toldBy(after))) {
        await this.alerts.forgetLevels(manager, alertId);
      }
      record({ subject: 'alert', subjectId: alertId, before: presentAlert(before), after: presentAlert(after) });
      return presentAlert(after);
    });
  }

  /** What it still had to tell is not told. @throws {AlertNotFoundError} */
  async delete({ paymaster, actor }: Editor, alertId: string): Promise<void> {
    const alert = await this.find(paymaster, alertId);
    await this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      await this.alerts.delete(manager, alert.id);
      record({ subject: 'alert', subjectId: alert.id, before: presentAlert(alert), after: null });
    });
  }

  /** Sends a message that means nothing, once, also in quiet hours. @throws {AlertNotFoundError} {@link TooManyRequestsError} */
  async test(paymaster: Paymaster, alertId: string): Promise<WebhookTestView> {
    const alert = await this.find(paymaster, alertId);
    const waitSeconds = await this.alerts.countTest(paymaster.id);
    if (waitSeconds > 0) throw new TooManyRequestsError(waitSeconds);
    const text = 'This is a test: alerts of this paymaster arrive here.';
    const { id: paymasterId, chainId, name } = paymaster;
    const message = { type: 'alert.test', timestamp: new Date().toISOString(), text, data: { paymasterId, chainId } };
    const letter = { id: randomUUID(), title: `Paymaster ${name}: a test`, lines: [text], alerts: [message] };
    const startedMs = performance.now();
    const { delivered, status, answer, problem } = await this.sender.send(alert, letter, TEST_TIMEOUT_MS);
    return { delivered, status, answer, problem, tookMs: Math.round(performance.now() - startedMs) };
  }

  /** What was told, newest first. @throws {AlertNotFoundError} */
  async log(paymaster: Paymaster, alertId: string): Promise<AlertDeliveryView[]> {
    const { id } = await this.find(paymaster, alertId);
    return (await this.deliveries.log({ receiverId: id, limit: LOG_LENGTH })).map(presentAlertDelivery);
  }

  private async find({ id: paymasterId }: Paymaster, id: string): Promise<Alert> {
    const alert = await this.alerts.find({ paymasterId, id });
    if (!alert) throw new AlertNotFoundError();
    return alert;
  }

  private secretOf(webhookId: string): string {
    const signingKey = Buffer.from(this.config.webhookSigningKey ?? '', 'hex');
    return webhookSecret({ signingKey, webhookId, version: 1 });
  }

  /** Where it goes, of what was sent and what is known. */
  private destinationOf(request: {
    readonly kind: AlertKind;
    readonly paymasterId: string;
    readonly sent: Destination;
    readonly known?: Alert;
  }): Pick<Alert, 'ciphertext' | 'shown'> {
    const { kind, paymasterId, sent, known } = request;
    const fields = FIELDS_OF[kind];
    const wrong = DESTINATION_FIELDS.find((field) => sent[field] !== undefined && !fields.includes(field));
    if (wrong) throw new InvalidBodyError(`${wrong} is not of the kind ${kind}`);
    if (known && fields.every((field) => sent[field] === undefined)) {
      return { ciphertext: known.ciphertext, shown: known.shown };
    }
    const before = known ? this.sender.open(known) : {};
    const destination = Object.fromEntries(fields.map((field) => [field, sent[field] ?? before[field]])) as Destination;
    const missing = fields.find((field) => destination[field] === undefined);
    if (missing) throw new InvalidBodyError(`${missing} must be there for the kind ${kind}`);
    return { ciphertext: this.sender.seal(destination, paymasterId), shown: this.shownOf(destination) };
  }

  private shownOf({ mail, url, chatId }: Destination): string {
    if (url !== undefined) return `${this.parseUrl(url).origin}/…`;
    return mail ?? `chat ${chatId}`;
  }

  private parseUrl(text: string): URL {
    try {
      return parseWebhookUrl(text, { allowInsecure: this.config.webhookAllowInsecure });
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      throw new InvalidBodyError(`url is refused: ${error.message}`);
    }
  }
}

type Terms = Pick<Alert, 'about' | 'walletBelowWei' | 'limitPercents' | 'quietHours'>;

/** What it tells and when. @throws {InvalidBodyError} naming the field that is missing */
function termsOf(sent: Pick<Alert, 'about'> & Partial<Terms> & Pick<CreateAlertDto, 'quietHours'>): Terms {
  const { about, walletBelowWei = null, limitPercents = [], quietHours = null } = sent;
  const [tellsWallet, tellsLimits] = [about.includes('walletLow'), about.includes('limitUsed')];
  if (tellsWallet && walletBelowWei === null) throw new InvalidBodyError('walletBelowWei must be there for walletLow');
  if (tellsLimits && limitPercents.length === 0) {
    throw new InvalidBodyError('limitPercents must be there for limitUsed');
  }
  return {
    ...{ about, walletBelowWei: tellsWallet ? walletBelowWei : null, quietHours: quietHours && { ...quietHours } },
    limitPercents: tellsLimits ? [...limitPercents].sort((a, b) => a - b) : [],
  };
}

/** What decides whether something is told. */
const toldBy = ({ about, walletBelowWei, limitPercents }: Terms) => [[...about].sort(), walletBelowWei, limitPercents];

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
