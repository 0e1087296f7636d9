import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RecordedChange } from '../../platform/audit/audit-entry';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import {
  InvalidBodyError,
  NotSignedInError,
  SignInRefusedError,
  TooManyCodesError,
  type DashboardError,
} from '../../platform/http/dashboard-errors';
import { RateLimits } from '../../platform/http/rate-limits';
import { PeopleRepository } from '../people/people.repository';
import type { Person } from '../people/person';
import { SecondFactorsRepository, type SecondFactor } from '../people/second-factors.repository';
import { Sessions, type OpenSession } from '../people/sessions';
import { assertFresh } from './fresh-session';
import { bareCode, isOfDevice, newRecoveryCodes, newSecret, otpauthUri, stepOf } from './one-time-codes';
import type { NewSecondFactorView, RecoveryCodesView, SecondFactorView } from './second-factor.dto';
import type { Browser } from './sign-in.service';

export const WRONG_CODE = 'code is wrong, spent or too old';
export const CODE_MISSING = 'code is missing: send one of the second factor that there is, or a recovery code';
export const NO_CODE_WANTED = 'This session waits for no code';

/** How a proof by a code ended; the try counts unless the code was right. */
interface Proof {
  readonly personId: string;
  readonly code: string;
  /** Of the client, whose guess a wrong code is. */
  readonly address: string;
  /** What is said to a wrong code. */
  readonly refusal: () => DashboardError;
}

/** A device that shows codes: a person adds, replaces and removes it, and proves by it who he is. */
@Injectable()
export class SecondFactorService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'publicUrl'>,
    private readonly factors: SecondFactorsRepository,
    private readonly people: PeopleRepository,
    private readonly sessions: Sessions,
    private readonly vault: ApiKeyVault,
    private readonly auditLog: AuditLogRepository,
    private readonly rates: RateLimits,
  ) {}

  async show({ id }: Person): Promise<SecondFactorView> {
    const [factor, recoveryCodesLeft] = [await this.factors.find(id), await this.factors.recoveryCodesLeft(id)];
    return { since: factor?.confirmedAt?.toISOString() ?? null, recoveryCodesLeft };
  }

  /**
   * Completes a sign-in. The session that waited ends, and the new one has another text.
   *
   * @returns the text for the cookie
   * @throws {SignInRefusedError} {@link TooManyCodesError} {@link NotSignedInError}
   */
  async completeSignIn({ session, person }: OpenSession, code: string, browser: Browser): Promise<string> {
    if (!session.waitsForCode) throw new SignInRefusedError(NO_CODE_WANTED);
    const refusal = () => new SignInRefusedError(`The ${WRONG_CODE}`);
    return this.proven({ personId: person.id, code, address: browser.address, refusal }, async (manager) => {
      if (!(await this.sessions.end(person.id, session.id, manager))) throw new NotSignedInError();
      return this.sessions.open(manager, { personId: person.id, browser: browser.name, proof: 'code' });
    });
  }

  /** A secret for a new device. @throws {SignInAgainError} {@link InvalidBodyError} {@link TooManyCodesError} */
  async begin(
    open: OpenSession,
    { code, address }: { code: string | undefined; address: string },
  ): Promise<NewSecondFactorView> {
    const { session, person } = open;
    assertFresh(session);
    const secret = newSecret();
    const insert = async (manager: EntityManager): Promise<void> => {
      await this.people.assertShown(manager, open);
      await this.factors.insertNew(manager, person.id, this.vault.encrypt(secret, person.id));
    };
    if (code !== undefined) await this.proven(proofInBody({ personId: person.id, code, address }), insert);
    else {
      await this.dataSource.transaction(async (manager) => {
        await this.people.lock(manager, person.id);
        if (await this.factors.find(person.id, manager)) throw new InvalidBodyError(CODE_MISSING);
        await insert(manager);
      });
    }
    const issuer = `Paymaster ${new URL(this.config.publicUrl ?? 'http://localhost').host}`.replaceAll(':', ' ');
    return { secret, uri: otpauthUri(secret, { issuer, name: person.name.replaceAll(':', ' ') }) };
  }

  /**
   * The new device shows its first code: from now on the person signs in with it. All other sessions of the person end:
   * what they have shown may be in the hands of a thief, from whom the person protects himself.
   *
   * @throws {SignInAgainError} {@link InvalidBodyError} {@link TooManyCodesError}
   */
  async confirm(open: OpenSession, code: string, address: string): Promise<RecoveryCodesView> {
    const { session, person } = open;
    assertFresh(session);
    const recoveryCodes = newRecoveryCodes();
    const proof = proofInBody({ personId: person.id, code, address });
    await this.tried(proof, async (manager) => {
      await this.people.assertShown(manager, open);
      const fresh = await this.factors.findNew(manager, person.id);
      const step = fresh && stepOf(this.vault.decrypt(fresh.secretCiphertext, person.id), bareCode(code), Date.now());
      if (!fresh || step === null) return null;
      const before = await this.factors.find(person.id, manager);
      await this.factors.confirm(manager, { personId: person.id, id: fresh.id, step });
      await this.setRecoveryCodes(manager, person.id, recoveryCodes);
      await this.sessions.prove(manager, session.id, 'code');
      await this.sessions.endOthers(manager, { personId: person.id, sessionId: session.id });
      await this.record(manager, person.id, { before: before && toLogged(before), after: { since: now() } });
      return true;
    });
    return { recoveryCodes };
  }

  /** Sessions that still wait for a code end. @throws {InvalidBodyError} {@link TooManyCodesError} */
  async remove({ person }: OpenSession, code: string, address: string): Promise<void> {
    await this.proven(proofInBody({ personId: person.id, code, address }), async (manager) => {
      const before = await this.factors.find(person.id, manager);
      await this.factors.delete(manager, person.id);
      await this.sessions.endUnproven(manager, person.id);
      await this.sessions.forgetCodes(manager, person.id);
      await this.record(manager, person.id, { before: before && toLogged(before), after: null });
    });
  }

  /** New ones in place of those before. @throws {InvalidBodyError} {@link TooManyCodesError} */
  async renewRecoveryCodes({ person }: OpenSession, code: string, address: string): Promise<RecoveryCodesView> {
    const recoveryCodes = newRecoveryCodes();
    await this.proven(proofInBody({ personId: person.id, code, address }), async (manager) => {
      await this.setRecoveryCodes(manager, person.id, recoveryCodes);
      await this.record(manager, person.id, { before: {}, after: { recoveryCodesMadeAt: now() } });
    });
    return { recoveryCodes };
  }

  /** Does something in the transaction in which the code is spent, once. */
  private proven<T>(proof: Proof, then: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.tried(proof, async (manager) =>
      (await this.spend(manager, proof)) ? { result: await then(manager) } : null,
    ).then(({ result }) => result);
  }

  /**
   * One try, which counts when its code is found to be wrong. Only codes of a device can be guessed and are bounded; so
   * who tries them cannot keep out who has a recovery code.
   *
   * @param use returns null for a wrong code, and has changed nothing then; the person's row is locked
   */
  private async tried<T>(
    { personId, code, address, refusal }: Proof,
    use: (manager: EntityManager) => Promise<T | null>,
  ): Promise<T> {
    const tryId = isOfDevice(bareCode(code)) ? await this.beginTry(personId) : null;
    const done = await this.dataSource
      .transaction(async (manager) => {
        await this.people.lock(manager, personId);
        const result = await use(manager);
        if (result !== null) await this.factors.forgetTry(manager, tryId);
        return result;
      })
      .catch(async (error: unknown) => {
        await this.factors.forgetTry(this.dataSource.manager, tryId);
        throw error;
      });
    if (done !== null) return done;
    this.rates.forget({ address, credential: '' });
    throw refusal();
  }

  private async beginTry(personId: string): Promise<string> {
    const begun = await this.dataSource.transaction(async (manager) => {
      await this.people.lock(manager, personId);
      return this.factors.beginTry(manager, personId);
    });
    if ('waitSeconds' in begun) throw new TooManyCodesError(begun.waitSeconds);
    return begun.tryId;
  }

  /** @returns whether it is a code of the person's second factor, or a recovery code, that was not spent before */
  private async spend(manager: EntityManager, { personId, code }: Proof): Promise<boolean> {
    const factor = await this.factors.find(personId, manager);
    if (!factor) return false;
    const bare = bareCode(code);
    if (isOfDevice(bare)) {
      const step = stepOf(this.vault.decrypt(factor.secretCiphertext, personId), bare, Date.now());
      return step !== null && this.factors.spendStep(manager, factor.id, step);
    }
    if (!(await this.factors.spendRecoveryCode(manager, personId, bare))) return false;
    const left = await this.factors.recoveryCodesLeft(personId, manager);
    const [before, after] = [{ recoveryCodesLeft: left + 1 }, { recoveryCodesLeft: left }];
    await this.record(manager, personId, { before, after });
    return true;
  }

  private setRecoveryCodes(manager: EntityManager, personId: string, codes: readonly string[]): Promise<void> {
    return this.factors.setRecoveryCodes(manager, personId, codes.map(bareCode));
  }

  /** Into the log of each account of the person, without a code or a secret. */
  private async record(
    manager: EntityManager,
    personId: string,
    change: Pick<RecordedChange, 'before' | 'after'>,
  ): Promise<void> {
    for (const { account } of await this.people.membershipsOf(personId, manager)) {
      const entry = { subject: 'secondFactor', subjectId: personId, ...change } as const;
      await this.auditLog.appendOfAccount(manager, { accountId: account.id, personId }, entry);
    }
  }
}

const proofInBody = (of: Omit<Proof, 'refusal'>): Proof => ({
  ...of,
  refusal: () => new InvalidBodyError(WRONG_CODE),
});

const now = (): string => new Date().toISOString();

const toLogged = ({ confirmedAt }: Pick<SecondFactor, 'confirmedAt'>) => ({
  since: confirmedAt?.toISOString() ?? null,
});
