import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { WebhookClient, WebhookError, type WebhookAnswer } from '@paymaster/webhooks';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import { MailNotSetUpError, WebhooksNotSetUpError } from '../../platform/http/dashboard-errors';
import { MailError, Mailer } from '../../platform/mail/mailer';
import type { SentMessage } from '../../outbound/webhooks/webhook-sender';
import type { Alert, AlertKind, Destination } from './alert';
import type { AlertMessage } from './alert-deliveries';

const MAX_ANSWER_CHARACTERS = 1_024;
/** Discord takes 2,000 characters, Telegram 4,096. */
const MAX_TEXT_CHARACTERS = 1_900;
/** A receiver that asks for a longer pause is asked again after that. */
const MAX_PAUSE_SECONDS = 3_600;

/** Something to tell, by one or several messages. */
export interface AlertLetter {
  /** Stays the same when it is sent again. */
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** For servers. */
  readonly alerts: readonly AlertMessage[];
}

export interface SentAlert extends SentMessage {
  /** How long the receiver wants to be left alone; milliseconds. */
  readonly pauseMs: number;
}

/** Sends alerts to people and to servers. */
@Injectable()
export class AlertSender {
  private readonly client: WebhookClient;
  private readonly canSign: boolean;
  private readonly telegramUrl: string;

  constructor(
    @Inject(DashboardConfig)
    config: Pick<DashboardConfig, 'webhookSigningKey' | 'webhookAllowInsecure' | 'telegramApiUrl'>,
    private readonly vault: ApiKeyVault,
    private readonly mailer: Mailer,
  ) {
    const { webhookSigningKey = '', webhookAllowInsecure: allowInsecure, telegramApiUrl } = config;
    this.client = new WebhookClient({ signingKey: Buffer.from(webhookSigningKey, 'hex'), allowInsecure });
    this.canSign = webhookSigningKey !== '';
    this.telegramUrl = telegramApiUrl;
  }

  /**
   * Refuses a kind for which the operator has not set what it takes.
   *
   * @throws {MailNotSetUpError} {@link WebhooksNotSetUpError}
   */
  refuseIfNotSetUp(kind: AlertKind): void {
    if (kind === 'MAIL' && !this.mailer.isOn) throw new MailNotSetUpError();
    if (kind === 'WEBHOOK' && !this.canSign) throw new WebhooksNotSetUpError();
  }

  /** Only for this paymaster. */
  seal(destination: Destination, paymasterId: string): string {
    return this.vault.encrypt(JSON.stringify(destination), paymasterId);
  }

  open({ ciphertext, paymasterId }: Pick<Alert, 'ciphertext' | 'paymasterId'>): Destination {
    return JSON.parse(this.vault.decrypt(ciphertext, paymasterId)) as Destination;
  }

  /** Tries once. What the receiver said is told without the secrets of the destination. */
  async send(alert: Alert, letter: AlertLetter, timeoutMs: number): Promise<SentAlert> {
    const destination = this.open(alert);
    const { id, kind } = alert;
    try {
      this.refuseIfNotSetUp(kind);
      if (kind === 'MAIL') return await this.mail(String(destination.mail), letter, timeoutMs);
      const answer = await this.post({ id, kind }, destination, letter, timeoutMs);
      const { status } = answer;
      return { ...failure(null), delivered: status >= 200 && status < 300, status, ...saidBy(answer, destination) };
    } catch (error) {
      if (error instanceof MailError) return { ...failure(error.message), status: error.status, answer: error.answer };
      if (error instanceof WebhookError) return failure(error.message.replace("the webhook's", 'its'));
      if (error instanceof MailNotSetUpError || error instanceof WebhooksNotSetUpError) return failure(error.message);
      throw error;
    }
  }

  /**
   * A mail server may take a mail after we have given it up; then the mail is sent again. Both have one id if they say
   * the same.
   */
  private async mail(to: string, letter: AlertLetter, timeoutMs: number): Promise<SentAlert> {
    const text = `${letter.lines.join('\n\n')}\n`;
    const id = createHash('sha256').update(`${letter.id}\n${text}`).digest('hex').slice(0, 32);
    const sending = this.mailer.send({ to, subject: letter.title, text, id });
    const late = setTimeout(timeoutMs, null, { ref: false }).then(() => {
      throw new MailError('the mail server did not take the mail in time');
    });
    await Promise.race([sending, late]);
    return { ...failure(null), delivered: true };
  }

  private post(
    { id, kind }: Pick<Alert, 'id'> & { readonly kind: Exclude<AlertKind, 'MAIL'> },
    destination: Destination,
    letter: AlertLetter,
    timeoutMs: number,
  ) {
    const text = shorten([letter.title, ...letter.lines].join('\n'));
    const to = (url: string | undefined, content: object, secretVersions: readonly number[] = []) =>
      this.client.send({
        ...{ webhookId: id, secretVersions, url: String(url), method: 'POST', messageId: letter.id, timeoutMs },
        body: JSON.stringify(content),
      });
    switch (kind) {
      case 'SLACK':
        return to(destination.url, { text: text.replaceAll(/[&<>]/g, (sign) => SLACK_SIGNS[sign] ?? sign) });
      case 'DISCORD':
        return to(destination.url, { content: text, allowed_mentions: { parse: [] } });
      case 'TELEGRAM': {
        const { botToken, chatId } = destination;
        const content = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
        return to(`${this.telegramUrl}/bot${botToken}/sendMessage`, content);
      }
      case 'WEBHOOK': {
        const { id: alertId, title, alerts } = letter;
        return to(destination.url, { type: 'alert', id: alertId, title, alerts }, [1]);
      }
    }
  }
}

/** https://api.slack.com/reference/surfaces/formatting#escaping */
const SLACK_SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const failure = (problem: string | null): SentAlert => ({
  ...{ delivered: false, status: null, answer: null, problem, pauseMs: 0 },
});

function shorten(text: string): string {
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, MAX_TEXT_CHARACTERS)}…`;
}

/** What the receiver said, and for how long it wants to be left alone: by the header, or as Discord and Telegram say it. */
function saidBy({ body, retryAfterSeconds }: WebhookAnswer, { url, botToken }: Destination) {
  const seconds = retryAfterSeconds ?? Number(/"retry_after"\s*:\s*(\d{1,9}(?:\.\d+)?)/.exec(body)?.[1] ?? 0);
  // Postgres text has no NUL.
  let answer = body.replaceAll('\0', '');
  for (const secret of [url, url && new URL(url).pathname.slice(1), botToken]) {
    if (secret) answer = answer.replaceAll(secret, '…');
  }
  const pauseMs = Math.ceil(Math.min(seconds, MAX_PAUSE_SECONDS) * 1_000);
  return { answer: answer.slice(0, MAX_ANSWER_CHARACTERS), pauseMs };
}
