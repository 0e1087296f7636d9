import { Controller, Delete, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentSession } from '../callers/caller';
import { InvalidBodyError, SessionNotFoundError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SignedIn } from '../callers/people.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { endedSessionCookie } from '../callers/session-cookie';
import { unknownField } from '../../platform/http/wrong-fields';
import type { OpenSession } from '../people/sessions';
import { EndedSessionsView, ListedSessionView } from './me.view';
import { PersonService } from './person.service';

/** Where a person is signed in. */
@ApiTags('people')
@Controller(`${SDK_PATH}/sessions`)
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
  async list(@CurrentSession() session: OpenSession): Promise<Envelope<ListedSessionView[]>> {
    return ok('Sessions fetched', await this.people.sessionsOf(session));
  }

  @Delete()
  @TakesNoFields()
  @SignedIn()
  @AnswersWith({
    operationId: 'signOutEverywhere',
    summary: 'End all sessions of the person, this one too',
    data: EndedSessionsView,
    message: 'Signed out everywhere',
    refusals: [new InvalidBodyError(unknownField('reason'))],
  })
  async endAll(
    @CurrentSession() { person }: OpenSession,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Envelope<EndedSessionsView>> {
    void reply.header('set-cookie', endedSessionCookie());
    return ok('Signed out everywhere', await this.people.endAllSessions(person.id));
  }

  @Delete(':sessionId')
  @TakesNoFields()
  @SignedIn()
  @AnswersWith({
    operationId: 'endSession',
    summary: 'End one session of the person',
    message: 'Session ended',
    refusals: [new InvalidBodyError(unknownField('reason')), new SessionNotFoundError()],
  })
  async end(@CurrentSession() { person }: OpenSession, @Param('sessionId') sessionId: string): Promise<Envelope> {
    await this.people.endSession(person.id, sessionId);
    return ok('Session ended');
  }
}
