import { Body, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { RotateKeyDto } from '../api-keys/rotate-key.dto';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import {
  ChangedMeanwhileError,
  InvalidBodyError,
  KeyNameExistsError,
  KeyNotFoundError,
  LimitReachedError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { CreateKeyDto, UpdateKeyDto } from './named-key.dto';
import { CreatedKeyView, NamedKeyView, RotatedNamedKeyView } from './named-key.view';
import { NamedKeysService } from './named-keys.service';

/** Beyond the interface document: API keys for pages and servers, each with what it may do. */
@ApiController('keys', 'keys')
export class NamedKeysController {
  constructor(private readonly keys: NamedKeysService) {}

  @Get()
  @Authenticated()
  @AnswersWith({
    operationId: 'listKeys',
    summary: 'List the keys beside the paymaster’s own one, without their texts',
    data: [NamedKeyView],
    message: 'Keys fetched',
  })
  list(@CurrentPaymaster() paymaster: Paymaster): Promise<NamedKeyView[]> {
    return this.keys.list(paymaster);
  }

  @Post()
  @Authenticated()
  @AnswersWith({
    operationId: 'createKey',
    summary: 'Create a key for the gateway; its text is shown in this answer only',
    data: CreatedKeyView,
    message: 'Key created',
    refusals: [
      new InvalidBodyError('policyIds must be those of policies of type RULES'),
      new KeyNameExistsError(),
      new LimitReachedError('A paymaster can have at most 20 keys beside its own'),
    ],
  })
  create(@CurrentEditor() editor: Editor, @Body() body: CreateKeyDto): Promise<CreatedKeyView> {
    return this.keys.create(editor, body);
  }

  @Patch(':keyId')
  @Authenticated()
  @AnswersWith({
    operationId: 'updateKey',
    summary: 'Change what a key may do, its name or its end; null takes a restriction away',
    data: NamedKeyView,
    message: 'Key updated',
    refusals: [
      new InvalidBodyError('policyIds must be those of policies of type RULES'),
      new KeyNameExistsError(),
      new KeyNotFoundError(),
      new ChangedMeanwhileError('limits'),
    ],
  })
  update(
    @CurrentEditor() editor: Editor,
    @Param('keyId') keyId: string,
    @Body() body: UpdateKeyDto,
  ): Promise<NamedKeyView> {
    return this.keys.update({ ...editor, keyId }, body);
  }

  @Post(':keyId/rotate')
  @Authenticated()
  @ApiBody({ type: RotateKeyDto, required: false })
  @AnswersWith({
    operationId: 'rotateKey',
    summary: 'Give a key a new text; the one before goes on working for 24 hours, or as long as is asked',
    data: RotatedNamedKeyView,
    message: 'Key rotated',
    refusals: [new LimitReachedError('A key can have at most 3 former texts'), new KeyNotFoundError()],
  })
  rotate(
    @CurrentEditor() editor: Editor,
    @Param('keyId') keyId: string,
    @Body() body: RotateKeyDto,
  ): Promise<RotatedNamedKeyView> {
    return this.keys.rotate({ ...editor, keyId }, body);
  }

  @Delete(':keyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'deleteKey',
    summary: 'End a key at once, with its former texts',
    message: 'Key deleted',
    refusals: [new KeyNotFoundError()],
  })
  delete(@CurrentEditor() editor: Editor, @Param('keyId') keyId: string): Promise<void> {
    return this.keys.delete({ ...editor, keyId });
  }
}
