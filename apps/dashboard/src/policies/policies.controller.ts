import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../http/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../http/caller';
import { ok, type Envelope } from '../http/envelope';
import { AnswersInPieces } from '../http/in-pieces.interceptor';
import { TakesNoFields } from '../http/no-fields.interceptor';
import { AnswersWith } from '../http/openapi.decorators';
import { queryNumber } from '../http/query-rules';
import { SDK_PATH } from '../http/sdk-path';
import type { Paymaster } from '../paymasters/paymaster';
import { PoliciesService } from './policies.service';
import { CreatePolicyDto, UpdateLimitDto, UpdatePolicyDto } from './policy.dto';
import { PolicyChangeView, PolicyView } from './policy.view';

const USER_NOT_FOUND = { message: 'User not found', statusCode: 404 };
const NEITHER_FOUND = { message: 'User not found, or Paymaster Policy not found', statusCode: 404 };

/** Beyond the interface document, as existing API users know it: what a paymaster sponsors, and how much. */
@ApiTags('paymaster policies')
@Controller(`${SDK_PATH}/paymaster-policy`)
export class PoliciesController {
  constructor(@Inject(PoliciesService) private readonly policies: PoliciesService) {}

  @Post()
  @HttpCode(200)
  @Authenticated()
  @AnswersWith({
    summary: 'Create a policy, in force at once',
    data: PolicyView,
    errors: ['A paymaster can have at most so many policies'],
    notFound: USER_NOT_FOUND,
  })
  async create(@CurrentEditor() editor: Editor, @Body() body: CreatePolicyDto): Promise<Envelope<PolicyView>> {
    return ok('Paymaster Policy created successfully', await this.policies.create(editor, body));
  }

  @Get()
  @Authenticated()
  @AnswersWith({ summary: 'List policies, paused ones too', data: [PolicyView], notFound: USER_NOT_FOUND })
  async list(@CurrentPaymaster() paymaster: Paymaster): Promise<Envelope<PolicyView[]>> {
    return ok('Paymaster Policies found!', await this.policies.list(paymaster));
  }

  @Get(':policyId')
  @Authenticated()
  @AnswersWith({ summary: 'Show a policy', data: PolicyView, notFound: NEITHER_FOUND })
  async show(
    @CurrentPaymaster() paymaster: Paymaster,
    @Param('policyId') policyId: string,
  ): Promise<Envelope<PolicyView>> {
    return ok('Paymaster Policy found!', await this.policies.show(paymaster, policyId));
  }

  @Get(':policyId/history')
  @Authenticated()
  @AnswersInPieces()
  @ApiQuery({ name: 'beforeVersion', required: false, description: 'The last version of the page before.' })
  @AnswersWith({
    summary: 'Show who changed a policy, when and how; newest first, 50 at most, also of a deleted one',
    data: [PolicyChangeView],
    notFound: NEITHER_FOUND,
  })
  async history(
    @CurrentPaymaster() paymaster: Paymaster,
    @Param('policyId') policyId: string,
    @Query('beforeVersion') beforeVersion?: unknown,
  ): Promise<Envelope<PolicyChangeView[]>> {
    const before = queryNumber('beforeVersion', beforeVersion);
    return ok('Paymaster Policy history found!', await this.policies.history(paymaster, policyId, before));
  }

  @Patch('limit/:policyId')
  @Authenticated()
  @AnswersWith({
    summary: 'Change a PAYMASTER_SA_LIMIT; a new limit starts a new cycle',
    errors: ['policyId must be that of a policy of type PAYMASTER_SA_LIMIT'],
    notFound: NEITHER_FOUND,
  })
  async updateLimit(
    @CurrentEditor() editor: Editor,
    @Param('policyId') policyId: string,
    @Body() body: UpdateLimitDto,
  ): Promise<Envelope> {
    await this.policies.updateLimit({ ...editor, policyId }, body);
    return ok('Paymaster Limit updated');
  }

  @Patch('deactivate/:policyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({ summary: 'Pause a policy', notFound: NEITHER_FOUND })
  async deactivate(@CurrentEditor() editor: Editor, @Param('policyId') policyId: string): Promise<Envelope> {
    await this.policies.setActive({ ...editor, policyId }, false);
    return ok('Paymaster Policy Deactivated!');
  }

  @Patch('activate/:policyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({ summary: 'Put a policy in force again; its cycles go on', notFound: NEITHER_FOUND })
  async activate(@CurrentEditor() editor: Editor, @Param('policyId') policyId: string): Promise<Envelope> {
    await this.policies.setActive({ ...editor, policyId }, true);
    return ok('Paymaster Policy Activated!');
  }

  @Patch(':policyId')
  @Authenticated()
  @AnswersWith({
    summary: 'Change the name or priority of a policy, or replace its data',
    data: PolicyView,
    errors: ['priority is for policies of type RULES'],
    notFound: NEITHER_FOUND,
  })
  async update(
    @CurrentEditor() editor: Editor,
    @Param('policyId') policyId: string,
    @Body() body: UpdatePolicyDto,
  ): Promise<Envelope<PolicyView>> {
    return ok('Paymaster Policy updated', await this.policies.update({ ...editor, policyId }, body));
  }

  @Delete(':policyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({ summary: 'Delete a policy; its history stays', notFound: NEITHER_FOUND })
  async delete(@CurrentEditor() editor: Editor, @Param('policyId') policyId: string): Promise<Envelope> {
    await this.policies.delete({ ...editor, policyId });
    return ok('Paymaster Policy deleted');
  }
}
