import { Body, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { CurrentAccount, CurrentActor } from '../callers/caller';
import { ForMembers } from '../callers/people.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import {
  LimitReachedError,
  RoleInUseError,
  RoleNameExistsError,
  RoleNotFoundError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { CreateRoleDto, UpdateRoleDto } from './role.dto';
import { RoleView } from './role.view';
import { RolesService, TOO_MANY_ROLES } from './roles.service';

/** Roles that the account makes beside the fixed ones. */
@ApiController('accounts', 'roles')
export class RolesController {
  constructor(private readonly roles: RolesService) {}

  @Get()
  @ForMembers()
  @AnswersWith({
    operationId: 'listRoles',
    summary: 'List the roles that the account made, by name',
    data: [RoleView],
    message: 'Roles fetched',
  })
  list(@CurrentAccount() account: Account): Promise<RoleView[]> {
    return this.roles.list(account);
  }

  @Post()
  @ForMembers()
  @AnswersWith({
    operationId: 'createRole',
    summary: 'Make a role, of rights that the person has',
    data: RoleView,
    message: 'Role created',
    refusals: [new RoleNameExistsError(), new LimitReachedError(TOO_MANY_ROLES)],
  })
  create(@CurrentActor() actor: Actor, @Body() body: CreateRoleDto): Promise<RoleView> {
    return this.roles.create(actor, body);
  }

  @Patch(':roleId')
  @ForMembers()
  @AnswersWith({
    operationId: 'updateRole',
    summary: 'Change the name or the rights of a role, at once for all who have it',
    data: RoleView,
    message: 'Role updated',
    refusals: [new RoleNotFoundError(), new RoleNameExistsError()],
  })
  update(
    @CurrentActor() actor: Actor,
    @Param('roleId') roleId: string,
    @Body() body: UpdateRoleDto,
  ): Promise<RoleView> {
    return this.roles.update(actor, roleId, body);
  }

  @Delete(':roleId')
  @TakesNoFields()
  @ForMembers()
  @AnswersWith({
    operationId: 'removeRole',
    summary: 'Remove a role that nobody has',
    message: 'Role removed',
    refusals: [new RoleNotFoundError(), new RoleInUseError()],
  })
  remove(@CurrentActor() actor: Actor, @Param('roleId') roleId: string): Promise<void> {
    return this.roles.remove(actor, roleId);
  }
}
