import { Body, Delete, Get, Param, Post } from '@nestjs/common';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import {
  InvalidBodyError,
  KeyNameExistsError,
  KeyNotFoundError,
  LimitReachedError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { CreateSessionKeyDto } from './session-key.dto';
import { SessionKeyView } from './session-key.view';
import { SessionKeysService } from './session-keys.service';

/** Beyond the interface document: public keys of back ends that sign session tokens for their users. */
@ApiController('keys', 'session-keys')
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
  list(@CurrentPaymaster() paymaster: Paymaster): Promise<SessionKeyView[]> {
    return this.keys.list(paymaster);
  }

  @Post()
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
  create(@CurrentEditor() editor: Editor, @Body() body: CreateSessionKeyDto): Promise<SessionKeyView> {
    return this.keys.create(editor, body);
  }

  @Delete(':keyId')
  @TakesNoFields()
  @Authenticated()
  @AnswersWith({
    operationId: 'deleteSessionKey',
    summary: 'End a session key and all tokens that it signed',
    message: 'Session key deleted',
    refusals: [new KeyNotFoundError()],
  })
  delete(@CurrentEditor() editor: Editor, @Param('keyId') keyId: string): Promise<void> {
    return this.keys.delete(editor, keyId);
  }
}
