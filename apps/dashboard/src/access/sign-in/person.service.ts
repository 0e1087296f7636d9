import { Injectable } from '@nestjs/common';
import { NotSignedInError, SessionNotFoundError } from '../../platform/http/dashboard-errors';
import { PeopleRepository } from '../people/people.repository';
import type { Person } from '../people/person';
import { Sessions, type OpenSession } from '../people/sessions';
import {
  toListedSessionView,
  toMembershipView,
  toPersonView,
  toSessionView,
  type EndedSessionsView,
  type ListedSessionView,
  type MeView,
  type PersonView,
} from './me.view';

/** What a person sees and changes of himself, and his sessions. */
@Injectable()
export class PersonService {
  constructor(
    private readonly people: PeopleRepository,
    private readonly sessions: Sessions,
  ) {}

  async me({ person, session }: OpenSession): Promise<MeView> {
    const memberships = await this.people.membershipsOf(person.id);
    return {
      person: toPersonView(person),
      accounts: memberships.map((each) => toMembershipView(each, session)),
      session: toSessionView(session),
    };
  }

  /** {@link me}, of a session that was opened a moment ago. @throws {NotSignedInError} when it has ended meanwhile */
  async meOf(sessionToken: string): Promise<MeView> {
    const open = await this.sessions.find(sessionToken);
    if (!open) throw new NotSignedInError();
    return this.me(open);
  }

  async rename(person: Person, name: string): Promise<PersonView> {
    await this.people.rename(person.id, name);
    return toPersonView({ ...person, name });
  }

  async sessionsOf({ person, session }: OpenSession): Promise<ListedSessionView[]> {
    return (await this.sessions.listOf(person.id)).map((each) => toListedSessionView(each, session.id));
  }

  /** @throws {SessionNotFoundError} also for a session of another person */
  async endSession(personId: string, sessionId: string): Promise<void> {
    if (!(await this.sessions.end(personId, sessionId))) throw new SessionNotFoundError();
  }

  async endAllSessions(personId: string): Promise<EndedSessionsView> {
    return { ended: await this.sessions.endAllOf(personId) };
  }
}
