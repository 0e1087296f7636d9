import { Get, Query } from '@nestjs/common';
import type { Account } from '../../access/accounts/account';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount, CurrentRights } from '../../access/callers/caller';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { AnswersInPieces } from '../../access/callers/in-pieces.interceptor';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { presentPlace } from '../../platform/http/page-cursor';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Need } from '../../access/people/role';
import { AuditPageView, toAuditEntryView } from './audit-entry.view';
import { AuditQuery, filterOf } from './audit-query';

/** Who changed what, when. */
@ApiController('audit log', 'account/audit-log')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogRepository) {}

  @Get()
  @TakesTurns('always')
  @Authenticated(OF_ACCOUNT)
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'listAuditLog',
    summary: 'List who changed what of the account and its paymasters, newest first, 50 at most',
    data: AuditPageView,
    message: 'Audit log fetched',
    refusals: [new InvalidBodyError('actor must be a tokenIdPrefix (8 hex digits) or a personId')],
  })
  async list(
    @CurrentAccount() { id }: Account,
    @CurrentRights() may: readonly Need[],
    @Query() query: AuditQuery,
  ): Promise<AuditPageView> {
    const { entries, next } = await this.auditLog.page(filterOf(query, id), {
      ofPeople: may.includes('readPeople'),
    });
    return {
      entries: entries.map(toAuditEntryView),
      nextCursor: next && presentPlace(next),
    };
  }
}
