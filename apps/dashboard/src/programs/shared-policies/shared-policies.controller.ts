import { Body, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import type { Account } from '../../access/accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount, CurrentActor } from '../../access/callers/caller';
import {
  InvalidBodyError,
  LimitReachedError,
  PolicyNotFoundError,
  VersionConflictError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { SharedPoliciesService } from './shared-policies.service';
import { CreateSharedPolicyDto, UpdateSharedPolicyDto } from './shared-policy.dto';
import { SharedPolicyView, SharingPaymasterView } from './shared-policy.view';

const NOT_OURS = new InvalidBodyError('paymasterIds must be those of paymasters of this account');

/** Beyond the interface document: policies and budgets of the account, over paymasters on several chains. */
@ApiController('shared policies', 'shared-policy')
export class SharedPoliciesController {
  constructor(private readonly policies: SharedPoliciesService) {}

  @Get()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'listSharedPolicies',
    summary: 'List the shared policies of the account, paused ones too',
    data: [SharedPolicyView],
    message: 'Shared policies fetched',
  })
  list(@CurrentAccount() account: Account): Promise<SharedPolicyView[]> {
    return this.policies.list(account.id);
  }

  @Get('paymasters')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'listSharingPaymasters',
    summary: 'List the paymasters of the account by their ids, with the policies that each shares',
    data: [SharingPaymasterView],
    message: 'Paymasters fetched',
  })
  paymasters(@CurrentAccount() account: Account): Promise<SharingPaymasterView[]> {
    return this.policies.paymasters(account.id);
  }

  @Post()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'createSharedPolicy',
    summary: 'Create a policy for several paymasters, whose limits count over all of them; in force at once',
    data: SharedPolicyView,
    message: 'Shared policy created',
    refusals: [NOT_OURS, new LimitReachedError('A paymaster can have at most 10 shared policies')],
  })
  create(@CurrentActor() actor: Actor, @Body() body: CreateSharedPolicyDto): Promise<SharedPolicyView> {
    return this.policies.create(actor, body);
  }

  @Patch(':policyId')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'updateSharedPolicy',
    summary: 'Change a shared policy, pause it, or change which paymasters share it',
    data: SharedPolicyView,
    message: 'Shared policy updated',
    refusals: [
      NOT_OURS,
      new LimitReachedError('A paymaster can have at most 10 shared policies'),
      new PolicyNotFoundError(),
      new VersionConflictError('policy', 3),
    ],
  })
  update(
    @CurrentActor() actor: Actor,
    @Param('policyId') policyId: string,
    @Body() body: UpdateSharedPolicyDto,
  ): Promise<SharedPolicyView> {
    return this.policies.update(actor, policyId, body);
  }

  @Delete(':policyId')
  @TakesNoFields()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'deleteSharedPolicy',
    summary: 'Delete a shared policy; its history stays',
    message: 'Shared policy deleted',
    refusals: [new PolicyNotFoundError()],
  })
  delete(@CurrentActor() actor: Actor, @Param('policyId') policyId: string): Promise<void> {
    return this.policies.delete(actor, policyId);
  }
}
