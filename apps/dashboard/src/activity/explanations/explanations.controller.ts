import { Body, Post } from '@nestjs/common';
import { Gateways } from '../../outbound/gateways/gateways.service';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentPaymaster } from '../../access/callers/caller';
import { GatewayUnavailableError, InvalidBodyError } from '../../platform/http/dashboard-errors';
import { AnswersInPieces } from '../../access/callers/in-pieces.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { ExplainDto } from './explain.dto';
import { ExplanationView, toExplanationView } from './explanation.view';

/** Why an operation is sponsored, or is not. */
@ApiController('operations', 'explain')
export class ExplanationsController {
  constructor(private readonly gateways: Gateways) {}

  @Post()
  @TakesTurns('always')
  @Authenticated()
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'explainOperation',
    summary: 'Ask a gateway whether an operation would be sponsored, and why; holds, signs and records nothing',
    data: ExplanationView,
    message: 'Operation explained',
    refusals: [
      new InvalidBodyError('userOperation.callData must be bytes: 0x and an even number of hex digits'),
      new GatewayUnavailableError(),
    ],
  })
  async explain(
    @CurrentPaymaster() { chainId, apiKeyIndex }: Paymaster,
    @Body() { userOperation, entryPoint }: ExplainDto,
  ): Promise<ExplanationView> {
    const question = { chainId, apiKeyIndex, userOperation, ...(entryPoint !== undefined && { entryPoint }) };
    return toExplanationView(await this.gateways.ask('explain', question));
  }
}
