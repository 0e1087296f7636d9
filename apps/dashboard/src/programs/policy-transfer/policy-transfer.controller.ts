import { Body, Get, Post, Query, Res } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, CurrentRights, type Editor } from '../../access/callers/caller';
import { InvalidBodyError, VersionConflictError } from '../../platform/http/dashboard-errors';
import { Answer } from '../../platform/http/envelope';
import { AnswersInPieces } from '../../access/callers/in-pieces.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { Flag, WholeNumber } from '../../platform/http/query-rules';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { AbiAnswers } from '../smart-contracts/abi-answers';
import { ImportView } from './difference.view';
import { PolicyDocumentDto } from './policy-document.dto';
import { PolicyExportService } from './policy-export.service';
import { PolicyImportService } from './policy-import.service';

class ImportQuery {
  @Flag({ type: String, enum: ['true', 'false'], description: 'Shows, and changes nothing.' })
  readonly dryRun: boolean = false;
  @WholeNumber({ description: 'The version that the paymaster must still have.' }) readonly expectedVersion?: number;
}

/** What a paymaster sponsors, taken out and put in as one JSON document. */
@ApiController('paymaster policies', 'paymaster-policy')
export class PolicyTransferController {
  constructor(
    private readonly exporting: PolicyExportService,
    private readonly importing: PolicyImportService,
    private readonly answers: AbiAnswers,
  ) {}

  @Get('export')
  @Authenticated()
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'exportPolicies',
    summary: 'Export all policies, contracts and settings that decide what is sponsored',
    data: PolicyDocumentDto,
    message: 'Paymaster Policies exported',
  })
  async export(
    @CurrentPaymaster() paymaster: Paymaster,
    @CurrentRights() may: readonly Need[],
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<PolicyDocumentDto> {
    const document = await this.answers.give(raw, paymaster, () => this.exporting.export(paymaster, may));
    return document;
  }

  @Post('import')
  @TakesTurns('always')
  @Authenticated()
  @ApiBody({ type: PolicyDocumentDto })
  @AnswersWith({
    operationId: 'importPolicies',
    summary: 'Make policies, contracts and settings those of a document: all or nothing',
    data: ImportView,
    message: 'Paymaster Policies imported',
    refusals: [new InvalidBodyError('dryRun must be true or false'), new VersionConflictError('paymaster', 8)],
  })
  async import(
    @CurrentEditor() editor: Editor,
    @CurrentRights() may: readonly Need[],
    @Body() document: object,
    @Query() { dryRun, expectedVersion }: ImportQuery,
  ): Promise<ImportView | Answer<ImportView>> {
    const view = await this.importing.import({ ...editor, may, document, dryRun, expectedVersion });
    return dryRun ? new Answer({ message: 'Paymaster Policies compared', data: view }) : view;
  }
}
