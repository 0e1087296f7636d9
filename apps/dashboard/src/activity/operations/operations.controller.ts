import { Readable } from 'node:stream';
import { Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { LongWork } from '@paymaster/nest-kit';
import type { FastifyReply } from 'fastify';
import type { Account } from '../../access/accounts/account';
import { AccountTurns, type TurnRequest } from '../../access/callers/account-turns';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount, CurrentPaymaster } from '../../access/callers/caller';
import { ChainUnavailableError, InvalidBodyError, OperationNotFoundError } from '../../platform/http/dashboard-errors';
import { AnswersInPieces } from '../../access/callers/in-pieces.interceptor';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { presentPlace, type PagePlace } from '../../platform/http/page-cursor';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { LandedCalls } from './landed-calls.service';
import type { Operation, OperationFilter, OperationsOwner } from './operation';
import { OperationNames, type NamesOfPaymaster } from './operation-names';
import {
  accountPeriodOf,
  AccountUsageQuery,
  filterOf,
  OperationPageQuery,
  OperationsQuery,
  UsageQuery,
  usagePeriodOf,
} from './operation-query';
import {
  OperationCallsView,
  OperationPageView,
  OperationReasonView,
  OperationView,
  PaymasterUsageView,
  presentOperation,
  presentUsageOfPart,
  UsageView,
} from './operation.view';
import { CSV_HEADER, csvLine } from './operations-csv';
import { OperationsRepository } from './operations.repository';
import { REFUSAL_REASONS } from './refusal-reasons';

/** With their calls, each may be 14 kB. */
const CSV_PAGE = 100;
const CSV_PAGE_BYTES = 100_000;
/** With their traces, each may be 20 kB. */
const OPERATIONS_PER_PIECE = 25;

/** What became of the operations of a paymaster, and what they cost. */
@ApiController('operations')
export class OperationsController {
  constructor(
    private readonly operations: OperationsRepository,
    private readonly work: LongWork,
    private readonly turns: AccountTurns,
    private readonly landedCalls: LandedCalls,
    private readonly names: OperationNames,
    private readonly chains: SupportedChains,
  ) {}

  @Get('operation')
  @TakesTurns('always')
  @Authenticated()
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'listOperations',
    summary: 'List operations, newest first: granted, refused, landed, settled, voided',
    data: OperationPageView,
    message: 'Operations fetched',
    refusals: [new InvalidBodyError('sender must be an address')],
  })
  list(
    @CurrentPaymaster() { id, accountId }: Paymaster,
    @Query() query: OperationPageQuery,
  ): Promise<OperationPageView> {
    return this.page(query, { owner: { paymasterId: id }, accountId });
  }

  @Get('account/operation')
  @TakesTurns('always')
  @Authenticated(OF_ACCOUNT)
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'listAccountOperations',
    summary: 'List operations over all paymasters of the account, newest first',
    data: OperationPageView,
    message: 'Operations fetched',
    refusals: [new InvalidBodyError('sender must be an address')],
  })
  listOfAccount(
    @CurrentAccount() { id: accountId }: Account,
    @Query() query: OperationPageQuery,
  ): Promise<OperationPageView> {
    return this.page(query, { owner: { accountId }, accountId });
  }

  @Get('operation/export.csv')
  @Authenticated()
  @AnswersWith({
    operationId: 'exportOperations',
    summary:
      'All operations that match, newest first, as CSV; names as registered now, USD at the price of the operation’s time, and an entry for each contract and method that an operation calls',
    csv: CSV_HEADER,
    refusals: [new InvalidBodyError('sender must be an address')],
  })
  export(
    @CurrentPaymaster() paymaster: Paymaster,
    @Query() query: OperationsQuery,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): StreamableFile {
    const filter = filterOf(query, { paymasterId: paymaster.id });
    const turn = { accountId: paymaster.accountId, bytes: CSV_PAGE_BYTES, response: raw };
    // Not by @Header, which would also name the body of a refusal CSV.
    return new StreamableFile(Readable.from(this.csv(paymaster, filter, turn)), {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="operations.csv"',
    });
  }

  @Get('operation/reasons')
  @Authenticated()
  @AnswersWith({
    operationId: 'listRefusalReasons',
    summary: 'List the reasons for which operations are refused, each with what it means',
    data: [OperationReasonView],
    message: 'Reasons fetched',
  })
  reasons(): readonly OperationReasonView[] {
    return REFUSAL_REASONS;
  }

  @Get('operation/:operationId')
  @Authenticated()
  @AnswersWith({
    operationId: 'getOperation',
    summary: 'Show an operation',
    data: OperationView,
    message: 'Operation fetched',
    refusals: [new OperationNotFoundError()],
  })
  async show(@CurrentPaymaster() { id }: Paymaster, @Param('operationId') operationId: string): Promise<OperationView> {
    return presentOperation(await this.find(id, operationId));
  }

  @Get('operation/:operationId/calls')
  @TakesTurns('always')
  @Authenticated()
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'getOperationCalls',
    summary: 'Show what an operation that landed called, with the whole call data, read from its transaction',
    data: OperationCallsView,
    message: 'Operation calls fetched',
    refusals: [new OperationNotFoundError(), new ChainUnavailableError()],
  })
  async calls(
    @CurrentPaymaster() { id }: Paymaster,
    @Param('operationId') operationId: string,
  ): Promise<OperationCallsView> {
    return this.landedCalls.of(await this.find(id, operationId));
  }

  @Get('usage')
  @TakesTurns('always')
  @Authenticated()
  @AnswersWith({
    operationId: 'getUsage',
    summary:
      'Operations and cost per hour or day, those in which nothing happened left out; or per contract, method, policy, sender, mode, named key or token',
    data: [UsageView],
    message: 'Usage fetched',
    refusals: [new InvalidBodyError('from must be before to')],
  })
  async usage(@CurrentPaymaster() paymaster: Paymaster, @Query() query: UsageQuery): Promise<UsageView[]> {
    const { by, eachDay = false } = query;
    const period = usagePeriodOf(query);
    const asked = { paymasterId: paymaster.id, ...period };
    if (by === undefined) {
      const points = await this.operations.usage(asked);
      return points.map((point) => ({ ...point, start: point.start.toISOString() }));
    }
    const parts = await this.operations.usageBy({ ...asked, by, eachDay });
    return parts.map(presentUsageOfPart);
  }

  @Get('account/usage')
  @TakesTurns('always')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'getAccountUsage',
    summary: 'Operations and cost of each paymaster of the account over a period, 92 days at most',
    data: [PaymasterUsageView],
    message: 'Usage fetched',
    refusals: [new InvalidBodyError('from must be before to')],
  })
  usageOfAccount(
    @CurrentAccount() { id: accountId }: Account,
    @Query() query: AccountUsageQuery,
  ): Promise<PaymasterUsageView[]> {
    return this.operations.usageOfPaymasters({ accountId, ...accountPeriodOf(query) });
  }

  /** @throws {OperationNotFoundError} also for an operation of another paymaster, and for text that is no id */
  private async find(paymasterId: string, operationId: string): Promise<Operation> {
    const operation = await this.operations.find(paymasterId, operationId);
    if (!operation) throw new OperationNotFoundError();
    return operation;
  }

  /** In pieces, so that the operations of a large page are never in memory with those of others. */
  private async page(
    { limit, cursor, brief, ...query }: OperationPageQuery,
    { owner, accountId }: { owner: OperationsOwner; accountId: string },
  ): Promise<OperationPageView> {
    const filter = filterOf(query, owner);
    const pieces = this.work.of(accountId);
    const operations: Operation[] = [];
    let next = cursor ?? null;
    do {
      await pieces.pause();
      const few = Math.min(limit - operations.length, OPERATIONS_PER_PIECE);
      const piece = { limit: few, isBrief: brief, ...(next && { cursor: next }) };
      const page = await this.operations.page(filter, piece);
      operations.push(...page.operations);
      next = page.next;
    } while (next && operations.length < limit);
    return { operations: operations.map(presentOperation), nextCursor: next && presentPlace(next) };
  }

  /** Page by page, so that neither memory nor a transaction grows with the answer. */
  private async *csv(paymaster: Paymaster, filter: OperationFilter, turn: TurnRequest): AsyncGenerator<string> {
    yield CSV_HEADER;
    const coin = this.chains.find(paymaster.chainId)?.nativeSymbol ?? '';
    let names: NamesOfPaymaster | undefined;
    let cursor: PagePlace | undefined;
    do {
      const done = await this.turns.begin(turn);
      let lines = '';
      try {
        const known = (names ??= await this.names.of(paymaster));
        const page = await this.operations.page(filter, { limit: CSV_PAGE, isBrief: true, ...(cursor && { cursor }) });
        await known.learn(page.operations);
        lines = page.operations.map((operation) => csvLine(operation, { names: known, coin })).join('');
        cursor = page.next ?? undefined;
      } finally {
        done(lines.length);
      }
      yield lines;
    } while (cursor);
  }
}
