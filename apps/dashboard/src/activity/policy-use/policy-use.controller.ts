import { Get, Param, Query } from '@nestjs/common';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentPaymaster } from '../../access/callers/caller';
import { GatewayUnavailableError, InvalidBodyError, PolicyNotFoundError } from '../../platform/http/dashboard-errors';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { TextOf } from '../../platform/http/query-rules';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { LimitUseView } from './limit-use.view';
import { PolicyUseService } from './policy-use.service';

class PolicyUseQuery {
  @TextOf(/^0x[0-9a-f]{40}$/i, 'must be an address', { description: 'An account, for limits per user.' })
  readonly sender?: string;
}

/** What is left of the limits of a policy. */
@ApiController('paymaster policies', 'paymaster-policy')
export class PolicyUseController {
  constructor(private readonly use: PolicyUseService) {}

  @Get(':policyId/use')
  @TakesTurns('always')
  @Authenticated()
  @AnswersWith({
    operationId: 'getPolicyUse',
    summary: 'Show how much of each limit of a policy is used, and when it resets; also of a shared policy',
    data: [LimitUseView],
    message: 'Paymaster Policy use found!',
    refusals: [
      new InvalidBodyError('sender must be an address'),
      new PolicyNotFoundError(),
      new GatewayUnavailableError(),
    ],
  })
  show(
    @CurrentPaymaster() paymaster: Paymaster,
    @Param('policyId') policyId: string,
    @Query() { sender }: PolicyUseQuery,
  ): Promise<LimitUseView[]> {
    return this.use.of(paymaster, policyId, sender);
  }
}
