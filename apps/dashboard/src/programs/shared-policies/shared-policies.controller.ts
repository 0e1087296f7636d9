import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
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
import { ok, type Envelope } from '../../platform/http/envelope';
import { unknownField } from '../../platform/http/wrong-fields';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { SharedPoliciesService } from './shared-policies.service';
import { CreateSharedPolicyDto, UpdateSharedPolicyDto } from './shared-policy.dto';
import { SharedPolicyView, SharingPaymasterView } from './shared-policy.view';

const NOT_OURS = new InvalidBodyError('paymasterIds must be those of paymasters of this account');

/** Beyond the interface document: policies and budgets of the account, over paymasters on several chains. */
@ApiTags('shared policies')
@Controller(`${SDK_PATH}/shared-policy`)
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
  async list(@CurrentAccount() account: Account): Promise<Envelope<SharedPolicyView[]>> {
    return ok('Shared policies fetched', await this.policies.list(account.id));
  }

  @Get('paymasters')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'listSharingPaymasters',
    summary: 'List the paymasters of the account by their ids, with the policies that each shares',
    data: [SharingPaymasterView],
    message: 'Paymasters fetched',
  })
  async paymasters(@CurrentAccount() account: Account): Promise<Envelope<SharingPaymasterView[]>> {
    return ok('Paymasters fetched', await this.policies.paymasters(account.id));
  }

  @Post()
  @HttpCode(200)
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'createSharedPolicy',
    summary: 'Create a policy for several paymasters, whose limits count over all of them; in force at once',
    data: SharedPolicyView,
    message: 'Shared policy created',
    refusals: [NOT_OURS, new LimitReachedError('A paymaster can have at most 10 shared policies')],
  })
  async create(@CurrentActor() actor: Actor, @Body() body: CreateSharedPolicyDto): Promise<Envelope<SharedPolicyView>> {
    return ok('Shared policy created', await this.policies.create(actor, body));
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
  async update(
    @CurrentActor() actor: Actor,
    @Param('policyId') policyId: string,
    @Body() body: UpdateSharedPolicyDto,
  ): Promise<Envelope<SharedPolicyView>> {
    return ok('Shared policy updated', await this.policies.update(actor, policyId, body));
  }

  @Delete(':policyId')
  @TakesNoFields()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'deleteSharedPolicy',
    summary: 'Delete a shared policy; its history stays',
    message: 'Shared policy deleted',
    refusals: [new InvalidBodyError(unknownField('reason')), new PolicyNotFoundError()],
  })
  async delete(@CurrentActor() actor: Actor, @Param('policyId') policyId: string): Promise<Envelope> {
    await this.policies.delete(actor, policyId);
    return ok('Shared policy deleted');
  }
}
