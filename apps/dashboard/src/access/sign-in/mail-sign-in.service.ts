import { Inject, Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { BlindNames } from '@paymaster/messaging';
import { clientNetwork } from '@paymaster/nest-kit';
import { DataSource, type EntityManager } from 'typeorm';
import type { RecordedChange } from '../../platform/audit/audit-entry';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { ASKING_BROWSER } from '../../platform/crypto/secret-text';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import {
  InvalidBodyError,
  LimitReachedError,
  MailAddressTakenError,
  MailNotSentError,
  MailNotSetUpError,
} from '../../platform/http/dashboard-errors';
import { RateLimits } from '../../platform/http/rate-limits';
import { MailError, Mailer } from '../../platform/mail/mailer';
import { PeopleRepository } from '../people/people.repository';
import type { OpenSession } from '../people/sessions';
import { CODE_VALID_MINUTES, SignInCodes } from '../people/sign-in-codes';
import { assertFresh } from './fresh-session';
import { CONFIRM_WITHIN_MINUTES, MailAddressesRepository } from './mail-addresses.repository';

/** Links that are looked for and mailed at once; what is asked for beyond that is dropped. */
const MOST_UNDER_WAY = 50;
export const WRONG_MAIL_CODE = 'code is unknown, used or too old: ask for another mail';
export const TOO_MANY_MAILS = 'Too many mails were sent lately: wait a quarter of an hour, or an hour';

/** People sign in by a link that is mailed to an address which they confirmed before, while they were signed in. */
@Injectable()
export class MailSignIn implements BeforeApplicationShutdown {
  private readonly logger = new Logger(MailSignIn.name);
  private readonly names: BlindNames;
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'publicUrl' | 'apiKeyIndexKey'>,
    private readonly mailer: Mailer,
    private readonly addresses: MailAddressesRepository,
    private readonly codes: SignInCodes,
    private readonly people: PeopleRepository,
    private readonly auditLog: AuditLogRepository,
    private readonly rates: RateLimits,
  ) {
    this.names = new BlindNames(config.apiKeyIndexKey);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /**
   * Sends a link to the address, if a person has confirmed it. It is looked up after the answer, so that neither the
   * answer nor its time tells who is known here. The link signs in no other browser than the one that asked.
   *
   * @param from.by the client's address, whose guess it is
   * @param from.asked the secret of a browser that has asked before: links that are on their way to it go on
   * @returns the secret by which the browser is known again
   * @throws {MailNotSetUpError}
   */
  askForLink(address: string, { by, asked }: { by: string; asked: string }): string {
    this.assertOn();
    this.rates.forget({ address: by, credential: '' });
    const browser = ASKING_BROWSER.isShaped(asked) ? asked : ASKING_BROWSER.generate();
    if (this.underWay.size < MOST_UNDER_WAY) this.sendLater({ address, browser, by });
    return browser;
  }

  private sendLater({ address, browser, by }: { address: string; browser: string; by: string }): void {
    const sender = this.names.of(`mails:${clientNetwork(by)}`);
    const sending = this.sendLink({ address, browser, sender }).catch((error: unknown) => {
      const problem = error instanceof MailError ? error.message : 'the database does not answer';
      this.logger.warn({ problem }, 'a link to sign in could not be mailed');
    });
    this.underWay.add(sending);
    void sending.finally(() => this.underWay.delete(sending));
  }

  addressOf(personId: string): Promise<string | null> {
    return this.addresses.addressOf(personId);
  }

  /** Sends a code to an address. @throws {SignInAgainError} {@link LimitReachedError} {@link MailNotSentError} */
  async sendCode(open: OpenSession, address: string): Promise<void> {
    const { session, person } = open;
    this.assertOn();
    assertFresh(session);
    await this.people.assertShown(this.dataSource.manager, open);
    if (!(await this.addresses.mayBeSent({ kind: 'code', address, sender: person.id })))
      throw new LimitReachedError(TOO_MANY_MAILS);
    const code = await this.addresses.issueCode(person.id, address);
    const text =
      `Somebody who is signed in to ${this.page} wants to sign in by links to this address. If that is you, put this ` +
      `code on the screen You within ${CONFIRM_WITHIN_MINUTES} minutes:\n\n${code}\n\n` +
      'If it is not you, do nothing. Give the code to nobody.\n';
    await this.mailer.send({ to: address, subject: 'Your code', text }).catch((cause: unknown) => {
      throw new MailNotSentError({ cause });
    });
  }

  /** From now on links are sent there. @throws {SignInAgainError} {@link InvalidBodyError} {@link MailAddressTakenError} */
  async confirm(open: OpenSession, code: string): Promise<string> {
    const { session, person } = open;
    assertFresh(session);
    return onUniqueViolation({ people_mail_address_key: () => new MailAddressTakenError() }, () =>
      this.dataSource.transaction(async (manager) => {
        await this.people.lock(manager, person.id);
        await this.people.assertShown(manager, open);
        const address = await this.addresses.useCode(manager, person.id, code.trim());
        if (address === null) throw new InvalidBodyError(WRONG_MAIL_CODE);
        await this.set(manager, person.id, address);
        await this.record(manager, person.id, { before: null, after: { confirmedAt: new Date().toISOString() } });
        return address;
      }),
    );
  }

  /** Harmless where there is none. @throws {SignInAgainError} */
  async remove(open: OpenSession): Promise<void> {
    const { session, person } = open;
    assertFresh(session);
    await this.dataSource.transaction(async (manager) => {
      await this.people.lock(manager, person.id);
      await this.people.assertShown(manager, open);
      if ((await this.addresses.addressOf(person.id, manager)) === null) return;
      await this.set(manager, person.id, null);
      await this.record(manager, person.id, { before: { removedAt: new Date().toISOString() }, after: null });
    });
  }

  private async sendLink({
    address,
    browser,
    sender,
  }: Record<'address' | 'browser' | 'sender', string>): Promise<void> {
    // Counted for each address: else who confirms it could learn from the count whether it has an owner.
    if (!(await this.addresses.mayBeSent({ kind: 'link', address, sender }))) return;
    const issued = await this.codes.issueMailed(address, browser);
    if (!issued) return;
    const text =
      `Somebody asked to sign in to ${this.page} by this address. If that is you, open this link within ` +
      `${CODE_VALID_MINUTES} minutes in the browser in which you asked for it, and press the button. It works once:\n\n` +
      `${this.page}/sign-in#code=${issued.code}\n\n` +
      'If it is not you, do nothing, and give the link to nobody: nobody is signed in without it.\n';
    await this.mailer.send({ to: issued.address, subject: 'Your link to sign in', text });
  }

  /** Links that are on the way to the address before end with it. */
  private async set(manager: EntityManager, personId: string, address: string | null): Promise<void> {
    await this.addresses.set(manager, personId, address);
    await this.codes.endMailed(manager, personId);
  }

  private assertOn(): void {
    if (!this.mailer.isOn) throw new MailNotSetUpError();
  }

  private get page(): string {
    return this.config.publicUrl ?? '';
  }

  /** Into the log of each account of the person, without the address. */
  private async record(
    manager: EntityManager,
    personId: string,
    change: Pick<RecordedChange, 'before' | 'after'>,
  ): Promise<void> {
    for (const { account } of await this.people.membershipsOf(personId, manager)) {
      const entry = { subject: 'mailAddress', subjectId: personId, ...change } as const;
      await this.auditLog.appendOfAccount(manager, { accountId: account.id, personId }, entry);
    }
  }
}
