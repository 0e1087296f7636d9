import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import {
  InvalidBodyError,
  KeyNameExistsError,
  KeyNotFoundError,
  LimitReachedError,
} from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { unknownField } from '../../platform/http/wrong-fields';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { CreateSessionKeyDto } from './session-key.dto';
import { SessionKeyView } from './session-key.view';
import { SessionKeysService } from './session-keys.service';

/** Beyond the interface document: public keys of back ends that sign session tokens for their users. */
@ApiTags('keys')
@Controller(`${SDK_PATH}/session-keys`)
export class SessionKeysController {
  constructor(private readonly keys: SessionKeysService) {}

  @Get()
  @Authenticated()
  @AnswersWith({
    operationId: 'listSessionKeys',
    summary: 'List the keys that sign session tokens',
    data: [SessionKeyView],
    message: 'Session keys fetched',
  })
  async list(@CurrentPaymaster() paymaster: Paymaster): Promise<Envelope<SessionKeyView[]>> {
    return ok('Session keys fetched', await this.keys.list(paymaster));
  }

  @Post()
  @HttpCode(200)
  @Authenticated()
  @AnswersWith({
    operationId: 'createSessionKey',
    summary: 'Register a public key that signs session tokens',
    data: SessionKeyView,
    message: 'Session key created',
    refusals: [
      new InvalidBodyError('publicKey must be a public Ed25519 or P-256 key'),
      new KeyNameExistsError(),
      new LimitReachedError('A paymaster can have at most 4 session keys'),
    ],
  })
  async create(@CurrentEditor() editor: Editor, @Body() body: CreateSessionKeyDto): Promise<Envelope<SessionKeyView>> {
    return ok('Session key created', await this.keys.create(editor, body));
  }

  @Delete(':keyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'deleteSessionKey',
    summary: 'End a session key and all tokens that it signed',
    message: 'Session key deleted',
    refusals: [new InvalidBodyError(unknownField('reason')), new KeyNotFoundError()],
  })
  async delete(@CurrentEditor() editor: Editor, @Param('keyId') keyId: string): Promise<Envelope> {
    await this.keys.delete(editor, keyId);
    return ok('Session key deleted');
  }
}
