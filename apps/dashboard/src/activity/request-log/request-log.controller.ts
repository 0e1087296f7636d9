import { Delete, Get, Param, Query } from '@nestjs/common';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import { AnswersInPieces } from '../../access/callers/in-pieces.interceptor';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { InvalidBodyError, RequestNotFoundError } from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { presentPlace } from '../../platform/http/page-cursor';
import { filterOf, RequestLogQuery } from './request-log-query';
import {
  ErasedRequestsView,
  presentEntry,
  presentWholeEntry,
  RequestLogPageView,
  WholeRequestLogEntryView,
} from './request-log.view';
import { RequestLogs } from './request-logs.service';

/** What gateways answered to requests: all that were refused, and a sample of those that were signed. */
@ApiController('request log', 'request-log')
export class RequestLogController {
  constructor(private readonly logs: RequestLogs) {}

  @Get()
  @TakesTurns('always')
  @Authenticated()
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'listRequests',
    summary: 'List requests that gateways refused, and a sample of those that they signed, newest first',
    data: RequestLogPageView,
    message: 'Requests fetched',
    refusals: [new InvalidBodyError('sender must be an address')],
  })
  async list(@CurrentPaymaster() paymaster: Paymaster, @Query() query: RequestLogQuery): Promise<RequestLogPageView> {
    const { entries, next, leftOut } = await this.logs.page(paymaster, filterOf(query), query);
    return { entries: entries.map(presentEntry), nextCursor: next && presentPlace(next), leftOut };
  }

  @Get(':entryId')
  @Authenticated()
  @AnswersWith({
    operationId: 'getRequest',
    summary: 'Show a request of the request log, with its operation',
    data: WholeRequestLogEntryView,
    message: 'Request fetched',
    refusals: [new RequestNotFoundError()],
  })
  async show(
    @CurrentPaymaster() paymaster: Paymaster,
    @Param('entryId') entryId: string,
  ): Promise<WholeRequestLogEntryView> {
    return presentWholeEntry(await this.logs.get(paymaster, entryId));
  }

  @Delete()
  @TakesTurns('always')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'eraseRequests',
    summary: 'Erase the request log of a paymaster: every request until now, for good',
    data: ErasedRequestsView,
    message: 'Requests erased',
  })
  erase(@CurrentEditor() editor: Editor): Promise<ErasedRequestsView> {
    return this.logs.erase(editor);
  }
}
