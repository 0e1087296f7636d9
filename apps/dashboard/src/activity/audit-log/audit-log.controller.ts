import { Controller, Get, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Account } from '../../access/accounts/account';
import { AUDIT_SUBJECTS } from '../../platform/audit/audit-entry';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount, CurrentRights } from '../../access/callers/caller';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { AnswersInPieces } from '../../access/callers/in-pieces.interceptor';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import type { Need } from '../../access/people/role';
import { AuditPageView, toAuditEntryView } from './audit-entry.view';
import { parseAuditQuery, presentAuditCursor } from './audit-query';

/** Who changed what, when. */
@ApiTags('audit log')
@Controller(`${SDK_PATH}/account/audit-log`)
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogRepository) {}

  @Get()
  @TakesTurns('always')
  @Authenticated({ ...OF_ACCOUNT, needs: 'readSecrets' })
  @AnswersInPieces()
  @ApiQuery({ name: 'paymasterId', required: false, type: String })
  @ApiQuery({ name: 'subject', required: false, enum: AUDIT_SUBJECTS })
  @ApiQuery({ name: 'actor', required: false, type: String, description: 'A `tokenIdPrefix` or `personId`.' })
  @ApiQuery({ name: 'from', required: false, type: String, description: 'UTC, inclusive.' })
  @ApiQuery({ name: 'to', required: false, type: String, description: 'UTC, exclusive.' })
  @ApiQuery({ name: 'cursor', required: false, type: String, description: '`nextCursor` of the page before.' })
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
    @Query() query: Readonly<Record<string, unknown>>,
  ): Promise<Envelope<AuditPageView>> {
    const { entries, next } = await this.auditLog.page(parseAuditQuery(query, id), {
      ofPeople: may.includes('readPeople'),
    });
    return ok('Audit log fetched', {
      entries: entries.map(toAuditEntryView),
      nextCursor: next && presentAuditCursor(next),
    });
  }
}
