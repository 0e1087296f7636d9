import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { CurrentSession } from '../access/callers/caller';
import { UUID } from '../platform/database/uuid';
import { InvalidBodyError, UserNotFoundError } from '../platform/http/dashboard-errors';
import { TakesNoFields } from '../platform/http/no-fields.interceptor';
import { AnswersWith } from '../platform/http/openapi.decorators';
import { presentPlace, type PagePlace } from '../platform/http/page-cursor';
import { Cursor, TextOf } from '../platform/http/query-rules';
import { ForOperators } from '../access/callers/people.decorators';
import { ApiController } from '../platform/http/api-controller.decorator';
import type { OpenSession } from '../access/people/sessions';
import { ChainStateView, toChainStateView } from './chain-state.view';
import { ChainStates } from './chain-states.service';
import { SuspendPaymasterDto } from './suspension.dto';
import { Suspensions } from './suspensions.service';
import { TenantFunds } from './tenant-funds.service';
import { OperatedPaymasterView, TenantPageView, toOperatedPaymasterView, toTenantView } from './tenant.view';
import { TenantsRepository } from './tenants.repository';

/** Postgres takes no text with a character of code 0. */
const SEARCH = /^[^\0]{1,100}$/;

class TenantsQuery {
  @TextOf(SEARCH, 'must be 1 to 100 characters long', {
    description: 'The id of an account or a paymaster, or a part of its name.',
  })
  readonly search?: string;
  @Cursor(UUID) readonly cursor?: PagePlace;
}

/** The installation as its operator sees it: over all accounts, and without what belongs to them. */
@ApiController('operator', 'operator')
export class OperatorController {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly funds: TenantFunds,
    private readonly chains: ChainStates,
    private readonly suspensions: Suspensions,
  ) {}

  @Get('tenants')
  @ForOperators()
  @AnswersWith({
    operationId: 'listTenants',
    summary: 'List the accounts of the installation with their paymasters and their money, newest first, 20 at most',
    data: TenantPageView,
    message: 'Tenants fetched',
    refusals: [new InvalidBodyError('cursor must be one that was answered')],
  })
  async listTenants(@Query() { search, cursor: after }: TenantsQuery): Promise<TenantPageView> {
    const { tenants, next } = await this.tenants.page({ search, after });
    const funds = await this.funds.of(tenants);
    return {
      tenants: tenants.map((tenant, at) => toTenantView(tenant, funds[at] ?? [])),
      nextCursor: next && presentPlace(next),
    };
  }

  @Get('chains')
  @ForOperators()
  @AnswersWith({
    operationId: 'listChainStates',
    summary: 'List the chains with their contracts, deposits and stakes, and what a gateway knows of them',
    data: [ChainStateView],
    message: 'Chains fetched',
  })
  async listChains(): Promise<ChainStateView[]> {
    return (await this.chains.all()).map(toChainStateView);
  }

  @Post('paymaster/:paymasterId/suspend')
  @ForOperators()
  @AnswersWith({
    operationId: 'suspendPaymaster',
    summary: 'Suspend a paymaster: gateways sign nothing for it, and tell its clients the reason',
    data: OperatedPaymasterView,
    message: 'Paymaster suspended',
    refusals: [new UserNotFoundError()],
  })
  async suspend(
    @CurrentSession() { person }: OpenSession,
    @Param('paymasterId') paymasterId: string,
    @Body() { reason }: SuspendPaymasterDto,
  ): Promise<OperatedPaymasterView> {
    const paymaster = await this.suspensions.suspend(person, paymasterId, reason);
    return toOperatedPaymasterView(paymaster);
  }

  @Post('paymaster/:paymasterId/resume')
  @TakesNoFields()
  @ForOperators()
  @AnswersWith({
    operationId: 'resumePaymaster',
    summary: 'Resume a suspended paymaster: it works as before',
    data: OperatedPaymasterView,
    message: 'Paymaster resumed',
    refusals: [new UserNotFoundError()],
  })
  async resume(
    @CurrentSession() { person }: OpenSession,
    @Param('paymasterId') paymasterId: string,
  ): Promise<OperatedPaymasterView> {
    return toOperatedPaymasterView(await this.suspensions.resume(person, paymasterId));
  }
}
