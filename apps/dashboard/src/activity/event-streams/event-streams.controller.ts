import { createParamDecorator, Get, Headers, Query, Res, StreamableFile } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Account } from '../../access/accounts/account';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount } from '../../access/callers/caller';
import { CallerGuard } from '../../access/callers/caller.guard';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { Flag, WholeNumber, wholeNumberOf } from '../../platform/http/query-rules';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { EventStreams, textOf } from './event-streams.service';

/** The request as guards see it, to ask them again. */
const Context = createParamDecorator((_data: unknown, context: ExecutionContext): ExecutionContext => context);

const NO_EVENT_ID = new InvalidBodyError('Last-Event-ID must be a whole number');
const EXAMPLE = textOf({
  ...{ number: 7, type: 'policy.changed', at: new Date('2026-01-31T12:00:00Z') },
  data: { paymasterId: '7ea9dae1-9a06-4c17-a4fb-7728177b76d3', version: 3 },
});

class EventsQuery {
  @WholeNumber({
    minimum: 0,
    description: 'The id of the last event that you have; the header Last-Event-ID wins. By default from now on.',
  })
  readonly after?: number;
  @Flag({ default: true, description: 'false: ends after what there is already.' }) readonly follow: boolean = true;
}

/** What happens in the account, as it happens. */
@ApiController('operations', 'events')
export class EventStreamsController {
  constructor(
    private readonly streams: EventStreams,
    private readonly guard: CallerGuard,
  ) {}

  @Get()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'followEvents',
    summary:
      'Follow what happens in the account as server-sent events: operations, changed policies, suspended paymasters',
    events: EXAMPLE,
    refusals: [NO_EVENT_ID],
  })
  async follow(
    @CurrentAccount() { id: accountId }: Account,
    @Query() { after, follow }: EventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Context() context: ExecutionContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const last = wholeNumberOf(lastEventId);
    if (last === undefined && lastEventId !== undefined) throw NO_EVENT_ID;
    const assertStillAllowed = () => this.guard.canActivate(context);
    const stream = await this.streams.open({ accountId, after: last ?? after, follow, assertStillAllowed });
    // The answer to HEAD ends without reading the stream, and would leave its place taken.
    reply.raw.once('close', () => stream.destroy());
    // Else proxies keep events back until they have more of them.
    void reply.header('x-accel-buffering', 'no');
    // A stream that ends takes its connection along, so that none of them holds up the end of the process.
    void reply.header('connection', 'close');
    return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
  }
}
