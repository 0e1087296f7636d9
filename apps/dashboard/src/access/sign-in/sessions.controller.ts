import { Delete, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentSession } from '../callers/caller';
import { SessionNotFoundError } from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SignedIn } from '../callers/people.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { endedSessionCookie } from '../callers/session-cookie';
import type { OpenSession } from '../people/sessions';
import { EndedSessionsView, ListedSessionView } from './me.view';
import { PersonService } from './person.service';

/** Where a person is signed in. */
@ApiController('people', 'sessions')
export class SessionsController {
  constructor(private readonly people: PersonService) {}

  @Get()
  @SignedIn()
  @AnswersWith({
    operationId: 'listSessions',
    summary: 'List the sessions of the person, the newest first',
    data: [ListedSessionView],
    message: 'Sessions fetched',
  })
  list(@CurrentSession() session: OpenSession): Promise<ListedSessionView[]> {
    return this.people.sessionsOf(session);
  }

  @Delete()
  @TakesNoFields()
  @SignedIn()
  @AnswersWith({
    operationId: 'signOutEverywhere',
    summary: 'End all sessions of the person, this one too',
    data: EndedSessionsView,
    message: 'Signed out everywhere',
  })
  endAll(
    @CurrentSession() { person }: OpenSession,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EndedSessionsView> {
    void reply.header('set-cookie', endedSessionCookie());
    return this.people.endAllSessions(person.id);
  }

  @Delete(':sessionId')
  @TakesNoFields()
  @SignedIn()
  @AnswersWith({
    operationId: 'endSession',
    summary: 'End one session of the person',
    message: 'Session ended',
    refusals: [new SessionNotFoundError()],
  })
  end(@CurrentSession() { person }: OpenSession, @Param('sessionId') sessionId: string): Promise<void> {
    return this.people.endSession(person.id, sessionId);
  }
}
