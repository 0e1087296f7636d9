import { Inject, Injectable } from '@nestjs/common';
import { isEmail } from 'class-validator';
import { createTransport } from 'nodemailer';
import { DashboardConfig } from '../config/dashboard.config';

const CONNECT_TIMEOUT_MS = 5_000;
const GREETING_TIMEOUT_MS = 10_000;
/** Some servers look at a mail before they take it; one that is given up too soon takes it twice. */
const SILENCE_TIMEOUT_MS = 20_000;
const MAX_ANSWER_CHARACTERS = 200;
/** Would begin another header, or end the message. */
const LINE_BREAK = /[\r\n\0\u0085\u2028\u2029]/;
/** Nothing is read on the way there. */
const ON_THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/** One mail in plain text, to one person. */
export interface Mail {
  /** One address, without a name. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /**
   * Stays the same when the same mail is sent again, so that mailboxes that look for it show one; letters, digits and
   * hyphens. Absent: each mail has its own.
   */
  readonly id?: string;
}

/** The mail was not taken. The message names what went wrong, and holds neither the password nor the text. */
export class MailError extends Error {
  constructor(
    message: string,
    /** The reply code of the mail server, where it replied. */
    readonly status: number | null = null,
    /** What the mail server said, where it said something. */
    readonly answer: string | null = null,
  ) {
    super(message);
    this.name = 'MailError';
  }
}

/** Hands mails to the mail server of the operator, if there is one. */
@Injectable()
export class Mailer {
  private readonly transport: ReturnType<typeof transportOf> | undefined;
  private readonly from: string;

  constructor(@Inject(DashboardConfig) { smtpUrl, smtpFrom = '' }: Pick<DashboardConfig, 'smtpUrl' | 'smtpFrom'>) {
    this.from = smtpFrom;
    if (smtpUrl !== undefined) this.transport = transportOf(smtpUrl);
  }

  /** Whether the operator has set a mail server. */
  get isOn(): boolean {
    return this.transport !== undefined;
  }

  /**
   * Resolves when the mail server has taken the mail. A mail is not sent again by itself.
   *
   * @throws {MailError} also for an address or a subject that no mail can have: then nothing is sent
   */
  async send({ to, subject, text, id }: Mail): Promise<void> {
    if (!this.transport) throw new MailError('mail is off on this installation: SMTP_URL is missing');
    if (!isMailAddress(to)) throw new MailError('the address must be one mail address');
    if (LINE_BREAK.test(subject)) throw new MailError('the subject must be one line');
    const headers = { 'Auto-Submitted': 'auto-generated' };
    const messageId = id === undefined ? {} : { messageId: `<${id}@${hostOf(this.from)}>` };
    const address = { name: '', address: to };
    try {
      await this.transport.sendMail({ from: this.from, to: address, subject, text, headers, ...messageId });
    } catch (error) {
      throw toMailError(error);
    }
  }
}

/** Whether a mail can be sent there: one address and nothing besides, in ASCII. */
export function isMailAddress(text: unknown): boolean {
  return typeof text === 'string' && /^[\x21-\x7e]{3,254}$/.test(text) && isEmail(text);
}

/** The host of the sender's address, which may stand behind a name. */
function hostOf(from: string): string {
  return /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}

/** A connection for each mail: there are few. The query of the URL wins over what is set here. */
function transportOf(url: string) {
  return createTransport({
    url,
    // A password or a sign-in link in clear would be anybody's on the way.
    requireTLS: !ON_THIS_MACHINE.includes(new URL(url).hostname),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function toMailError(error: unknown): MailError {
  const { code, response, responseCode } = error as { code?: string; response?: string; responseCode?: number };
  if (code === 'EAUTH') return new MailError('the mail server does not take the login', responseCode ?? null);
  if (response === undefined) return new MailError(`the mail server cannot be used (${code ?? 'no answer'})`);
  const answer = response.slice(0, MAX_ANSWER_CHARACTERS);
  return new MailError('the mail server refused the mail', responseCode ?? null, answer);
}
