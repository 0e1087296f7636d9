import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RecordedChange } from '../../platform/audit/audit-entry';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import {
  InvalidBodyError,
  LimitReachedError,
  PasskeyExistsError,
  PasskeyNotFoundError,
} from '../../platform/http/dashboard-errors';
import { PeopleRepository } from '../people/people.repository';
import type { Person } from '../people/person';
import { Sessions, type OpenSession } from '../people/sessions';
import { assertFresh } from './fresh-session';
import { PASSKEY_ALGORITHMS, PasskeyProofs } from './passkey-proofs';
import type { CreatePasskeyDto } from './passkey.dto';
import { toPasskeyView, type NewPasskeyView, type PasskeyView } from './passkey.view';
import { PasskeysRepository, type Passkey } from './passkeys.repository';
import { SignInNonces } from './sign-in-nonces';

const MAX_PASSKEYS = 20;

export const NOT_A_PASSKEY =
  'attestationObject cannot be accepted: the device has to make the key on this page, within ten minutes, ' +
  'and has to check the person by PIN, finger or face';
export const TOO_MANY_PASSKEYS = `A person can have at most ${MAX_PASSKEYS} passkeys`;

/** A person adds, names and removes passkeys. */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passkeys: PasskeysRepository,
    private readonly proofs: PasskeyProofs,
    private readonly nonces: SignInNonces,
    private readonly people: PeopleRepository,
    private readonly sessions: Sessions,
    private readonly auditLog: AuditLogRepository,
  ) {}

  async list({ id }: Person): Promise<PasskeyView[]> {
    return (await this.passkeys.listOf(id)).map(toPasskeyView);
  }

  /** What the person's browser needs to make a key. */
  async optionsFor({ id: personId, name }: Person): Promise<NewPasskeyView> {
    const known = await this.passkeys.listOf(personId);
    return {
      ...{ challenge: this.proofs.challenge(personId), rpId: this.proofs.relyingPartyId, personId, name },
      ...{ algorithms: PASSKEY_ALGORITHMS, credentialIds: known.map(({ credentialId }) => credentialId) },
    };
  }

  /**
   * The session has shown the passkey then.
   *
   * @throws {SignInAgainError} {@link InvalidBodyError} {@link LimitReachedError} {@link PasskeyExistsError}
   */
  async add(open: OpenSession, { name, ...credential }: CreatePasskeyDto): Promise<PasskeyView> {
    const { session, person } = open;
    assertFresh(session);
    const proof = await this.proofs.ofNewKey(credential, person.id);
    if (!proof) throw new InvalidBodyError(NOT_A_PASSKEY);
    const { nonce, ...key } = proof;
    const added = await onUniqueViolation({ passkeys_credential_id_key: () => new PasskeyExistsError() }, () =>
      this.dataSource.transaction(async (manager) => {
        await this.people.lock(manager, person.id);
        await this.people.assertShown(manager, open);
        if (!(await this.nonces.use(manager, nonce))) throw new InvalidBodyError(NOT_A_PASSKEY);
        const { length } = await this.passkeys.listOf(person.id, manager);
        if (length >= MAX_PASSKEYS) throw new LimitReachedError(TOO_MANY_PASSKEYS);
        const passkey = await this.passkeys.insert(manager, { id: randomUUID(), personId: person.id, name, ...key });
        await this.sessions.prove(manager, session.id, 'passkey');
        await this.record(manager, passkey, { before: null, after: toLogged(passkey) });
        return passkey;
      }),
    );
    return toPasskeyView(added);
  }

  /** @throws {PasskeyNotFoundError} also for a passkey of another person */
  async rename({ id: personId }: Person, id: string, name: string): Promise<PasskeyView> {
    const passkey = await this.passkeys.rename({ personId, id, name });
    if (!passkey) throw new PasskeyNotFoundError();
    return toPasskeyView(passkey);
  }

  /** Sessions that passkeys opened end, but this one. @throws {SignInAgainError} {@link PasskeyNotFoundError} */
  async remove(open: OpenSession, id: string): Promise<void> {
    const { session, person } = open;
    assertFresh(session);
    await this.dataSource.transaction(async (manager) => {
      await this.people.lock(manager, person.id);
      await this.people.assertShown(manager, open);
      const passkey = await this.passkeys.delete(manager, { personId: person.id, id });
      if (!passkey) throw new PasskeyNotFoundError();
      await this.sessions.endOthers(manager, { personId: person.id, sessionId: session.id, proof: 'passkey' });
      await this.record(manager, passkey, { before: toLogged(passkey), after: null });
    });
  }

  /** Into the log of each account of the person: who owns them sees that a member can sign in in another way. */
  private async record(
    manager: EntityManager,
    { id: subjectId, personId }: Passkey,
    change: Pick<RecordedChange, 'before' | 'after'>,
  ): Promise<void> {
    for (const { account } of await this.people.membershipsOf(personId, manager)) {
      const actor = { accountId: account.id, personId };
      await this.auditLog.appendOfAccount(manager, actor, { subject: 'passkey', subjectId, ...change });
    }
  }
}

/** Its name is the person's own business. */
function toLogged({ createdAt }: Passkey) {
  return { addedAt: createdAt.toISOString() };
}
