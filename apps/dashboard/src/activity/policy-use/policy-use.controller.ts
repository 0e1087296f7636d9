import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { isAddress, normalizeAddress } from '@paymaster/domain';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentPaymaster } from '../../access/callers/caller';
import { GatewayUnavailableError, InvalidBodyError, PolicyNotFoundError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { refuseUnknownQuery } from '../../platform/http/query-rules';
import { SDK_PATH } from '../../platform/http/sdk-path';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { LimitUseView } from './limit-use.view';
import { PolicyUseService } from './policy-use.service';

const NOT_AN_ADDRESS = new InvalidBodyError('sender must be an address');

/** What is left of the limits of a policy. */
@ApiTags('paymaster policies')
@Controller(`${SDK_PATH}/paymaster-policy`)
export class PolicyUseController {
  constructor(private readonly use: PolicyUseService) {}

  @Get(':policyId/use')
  @TakesTurns('always')
  @Authenticated()
  @ApiQuery({ name: 'sender', required: false, type: String, description: 'An account, for limits per user.' })
  @AnswersWith({
    operationId: 'getPolicyUse',
    summary: 'Show how much of each limit of a policy is used, and when it resets; also of a shared policy',
    data: [LimitUseView],
    message: 'Paymaster Policy use found!',
    refusals: [NOT_AN_ADDRESS, new PolicyNotFoundError(), new GatewayUnavailableError()],
  })
  async show(
    @CurrentPaymaster() paymaster: Paymaster,
    @Param('policyId') policyId: string,
    @Query() query: Readonly<Record<string, unknown>>,
  ): Promise<Envelope<LimitUseView[]>> {
    return ok('Paymaster Policy use found!', await this.use.of(paymaster, policyId, senderOf(query)));
  }
}

/** @throws {InvalidBodyError} naming the parameter */
function senderOf(query: Readonly<Record<string, unknown>>): string | undefined {
  refuseUnknownQuery(query, ['sender']);
  const { sender } = query;
  if (sender === undefined) return undefined;
  if (!isAddress(sender)) throw NOT_AN_ADDRESS;
  return normalizeAddress(sender);
}
