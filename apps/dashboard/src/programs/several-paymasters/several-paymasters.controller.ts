import { Body, Post } from '@nestjs/common';
import type { Actor } from '../../platform/audit/actor';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentActor } from '../../access/callers/caller';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { CreatePoliciesDto, CreateSmartContractsDto } from './several-paymasters.dto';
import { SeveralPaymastersService } from './several-paymasters.service';
import { OutcomeView } from './several-paymasters.view';

const NOT_OURS = new InvalidBodyError('paymasterIds must be those of paymasters of this account');

/** Beyond the interface document: one contract or policy for paymasters on several chains, in one request. */
@ApiController('several paymasters', 'account')
export class SeveralPaymastersController {
  constructor(private readonly several: SeveralPaymastersService) {}

  @Post('smart-contract')
  @TakesTurns('always')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'createSmartContracts',
    summary:
      'Register a smart contract with several paymasters; the answer says what became of it at each, and a repetition changes nothing',
    data: [OutcomeView],
    message: 'Smart contract registered where it says so',
    refusals: [NOT_OURS],
  })
  registerContract(@CurrentActor() actor: Actor, @Body() body: CreateSmartContractsDto): Promise<OutcomeView[]> {
    return this.several.registerContract(actor, body);
  }

  @Post('paymaster-policy')
  @TakesTurns('always')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'createPolicies',
    summary:
      'Create a policy of each of several paymasters; the answer says what became of it at each, and a repetition changes nothing',
    data: [OutcomeView],
    message: 'Policy created where it says so',
    refusals: [NOT_OURS],
  })
  createPolicy(@CurrentActor() actor: Actor, @Body() body: CreatePoliciesDto): Promise<OutcomeView[]> {
    return this.several.createPolicy(actor, body);
  }
}
