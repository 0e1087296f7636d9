import { Body, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { CurrentSession } from '../callers/caller';
import { SignedIn } from '../callers/people.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import {
  InvalidBodyError,
  LimitReachedError,
  PasskeyExistsError,
  PasskeyNotFoundError,
  SignInAgainError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { PASSKEY_WANTED } from '../people/people.repository';
import type { OpenSession } from '../people/sessions';
import { CreatePasskeyDto, UpdatePasskeyDto } from './passkey.dto';
import { NewPasskeyView, PasskeyView } from './passkey.view';
import { NOT_A_PASSKEY, PasskeysService, TOO_MANY_PASSKEYS } from './passkeys.service';

/** The passkeys of a person. */
@ApiController('people', 'passkeys')
export class PasskeysController {
  constructor(private readonly passkeys: PasskeysService) {}

  @Get()
  @SignedIn()
  @AnswersWith({
    operationId: 'listPasskeys',
    summary: 'List the passkeys of the person, the oldest first',
    data: [PasskeyView],
    message: 'Passkeys fetched',
  })
  list(@CurrentSession() { person }: OpenSession): Promise<PasskeyView[]> {
    return this.passkeys.list(person);
  }

  @Get('options')
  @SignedIn()
  @AnswersWith({
    operationId: 'getPasskeyOptions',
    summary: 'Get what a browser needs to make a passkey of the person (navigator.credentials.create)',
    data: NewPasskeyView,
    message: 'Options issued',
  })
  options(@CurrentSession() { person }: OpenSession): Promise<NewPasskeyView> {
    return this.passkeys.optionsFor(person);
  }

  @Post()
  @SignedIn()
  @AnswersWith({
    operationId: 'addPasskey',
    summary: 'Add a passkey that the browser made, within 15 minutes of a sign-in',
    data: PasskeyView,
    message: 'Passkey added',
    refusals: [
      new SignInAgainError(),
      new SignInAgainError(PASSKEY_WANTED),
      new InvalidBodyError(NOT_A_PASSKEY),
      new LimitReachedError(TOO_MANY_PASSKEYS),
      new PasskeyExistsError(),
    ],
  })
  add(@CurrentSession() session: OpenSession, @Body() body: CreatePasskeyDto): Promise<PasskeyView> {
    return this.passkeys.add(session, body);
  }

  @Patch(':passkeyId')
  @SignedIn()
  @AnswersWith({
    operationId: 'renamePasskey',
    summary: 'Give a passkey another name',
    data: PasskeyView,
    message: 'Passkey updated',
    refusals: [new PasskeyNotFoundError()],
  })
  rename(
    @CurrentSession() { person }: OpenSession,
    @Param('passkeyId') passkeyId: string,
    @Body() { name }: UpdatePasskeyDto,
  ): Promise<PasskeyView> {
    return this.passkeys.rename(person, passkeyId, name);
  }

  @Delete(':passkeyId')
  @TakesNoFields()
  @SignedIn()
  @AnswersWith({
    operationId: 'removePasskey',
    summary: 'Remove a passkey, within 15 minutes of a sign-in; sessions that passkeys opened end, but this one',
    message: 'Passkey removed',
    refusals: [new SignInAgainError(), new SignInAgainError(PASSKEY_WANTED), new PasskeyNotFoundError()],
  })
  remove(@CurrentSession() session: OpenSession, @Param('passkeyId') passkeyId: string): Promise<void> {
    return this.passkeys.remove(session, passkeyId);
  }
}
