import { Body, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, CurrentRights, type Editor } from '../../access/callers/caller';
import {
  InvalidBodyError,
  LimitReachedError,
  PolicyNotFoundError,
  VersionConflictError,
} from '../../platform/http/dashboard-errors';
import { AnswersInPieces } from '../../access/callers/in-pieces.interceptor';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { Flag, TolerantQuery, WholeNumber } from '../../platform/http/query-rules';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { PoliciesService } from './policies.service';
import { CreatePolicyDto, UpdateLimitDto, UpdatePolicyDto } from './policy.dto';
import { PolicyChangeView, PolicyView } from './policy.view';

class PoliciesQuery extends TolerantQuery {
  @Flag({ description: 'Adds the version of each.' }) readonly versions: boolean = false;
}

class PolicyHistoryQuery extends TolerantQuery {
  @WholeNumber({ description: 'The last version of the page before.' }) readonly beforeVersion?: number;
}

/** Beyond the interface document, as existing API users know it: what a paymaster sponsors, and how much. */
@ApiController('paymaster policies', 'paymaster-policy')
export class PoliciesController {
  constructor(private readonly policies: PoliciesService) {}

  @Post()
  @Authenticated()
  @AnswersWith({
    operationId: 'createPolicy',
    summary: 'Create a policy, in force at once',
    data: PolicyView,
    message: 'Paymaster Policy created successfully',
    refusals: [
      new InvalidBodyError('policyData: threshold must be a whole number of operations, above zero'),
      new LimitReachedError('A paymaster can have at most 50 policies'),
    ],
  })
  create(@CurrentEditor() editor: Editor, @Body() body: CreatePolicyDto): Promise<PolicyView> {
    return this.policies.create(editor, body);
  }

  @Get()
  @Authenticated()
  @AnswersWith({
    operationId: 'listPolicies',
    summary: 'List policies, paused ones too',
    data: [PolicyView],
    message: 'Paymaster Policies found!',
    refusals: [new InvalidBodyError('versions must be true or false')],
  })
  list(
    @CurrentPaymaster() paymaster: Paymaster,
    @CurrentRights() may: readonly Need[],
    @Query() { versions }: PoliciesQuery,
  ): Promise<PolicyView[]> {
    return this.policies.list(paymaster, may, versions);
  }

  @Get(':policyId')
  @Authenticated()
  @AnswersWith({
    operationId: 'getPolicy',
    summary: 'Show a policy',
    data: PolicyView,
    message: 'Paymaster Policy found!',
    refusals: [new PolicyNotFoundError()],
  })
  show(
    @CurrentPaymaster() paymaster: Paymaster,
    @Param('policyId') policyId: string,
    @CurrentRights() may: readonly Need[],
  ): Promise<PolicyView> {
    return this.policies.show(paymaster, policyId, may);
  }

  @Get(':policyId/history')
  @Authenticated()
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'getPolicyHistory',
    summary: 'Show who changed a policy, when and how; newest first, 50 at most, also of a deleted one',
    data: [PolicyChangeView],
    message: 'Paymaster Policy history found!',
    refusals: [new InvalidBodyError('beforeVersion must be a whole number'), new PolicyNotFoundError()],
  })
  history(
    @CurrentPaymaster() paymaster: Paymaster,
    @Param('policyId') policyId: string,
    @Query() { beforeVersion }: PolicyHistoryQuery,
  ): Promise<PolicyChangeView[]> {
    return this.policies.history(paymaster, policyId, beforeVersion);
  }

  @Patch('limit/:policyId')
  @Authenticated()
  @AnswersWith({
    operationId: 'updatePolicyLimit',
    summary: 'Change a PAYMASTER_SA_LIMIT; a new limit starts a new cycle',
    message: 'Paymaster Limit updated',
    refusals: [
      new InvalidBodyError('policyId must be that of a policy of type PAYMASTER_SA_LIMIT'),
      new PolicyNotFoundError(),
    ],
  })
  updateLimit(
    @CurrentEditor() editor: Editor,
    @Param('policyId') policyId: string,
    @Body() body: UpdateLimitDto,
  ): Promise<void> {
    return this.policies.updateLimit({ ...editor, policyId }, body);
  }

  @Patch('deactivate/:policyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'deactivatePolicy',
    summary: 'Pause a policy',
    message: 'Paymaster Policy Deactivated!',
    refusals: [new PolicyNotFoundError()],
  })
  deactivate(@CurrentEditor() editor: Editor, @Param('policyId') policyId: string): Promise<void> {
    return this.policies.setActive({ ...editor, policyId }, false);
  }

  @Patch('activate/:policyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'activatePolicy',
    summary: 'Put a policy in force again; its cycles go on',
    message: 'Paymaster Policy Activated!',
    refusals: [new PolicyNotFoundError()],
  })
  activate(@CurrentEditor() editor: Editor, @Param('policyId') policyId: string): Promise<void> {
    return this.policies.setActive({ ...editor, policyId }, true);
  }

  @Patch(':policyId')
  @Authenticated()
  @AnswersWith({
    operationId: 'updatePolicy',
    summary: 'Change the name or priority of a policy, or replace its data',
    data: PolicyView,
    message: 'Paymaster Policy updated',
    refusals: [
      new InvalidBodyError('priority is for policies of type RULES'),
      new PolicyNotFoundError(),
      new VersionConflictError('policy', 3),
    ],
  })
  update(
    @CurrentEditor() editor: Editor,
    @Param('policyId') policyId: string,
    @CurrentRights() may: readonly Need[],
    @Body() body: UpdatePolicyDto,
  ): Promise<PolicyView> {
    return this.policies.update({ ...editor, policyId }, body, may);
  }

  @Delete(':policyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'deletePolicy',
    summary: 'Delete a policy; its history stays',
    message: 'Paymaster Policy deleted',
    refusals: [new PolicyNotFoundError()],
  })
  delete(@CurrentEditor() editor: Editor, @Param('policyId') policyId: string): Promise<void> {
    return this.policies.delete({ ...editor, policyId });
  }
}
