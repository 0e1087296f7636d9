import { Body, Delete, Get, Ip, Post } from '@nestjs/common';
import { CurrentSession } from '../callers/caller';
import { SignedIn } from '../callers/people.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { InvalidBodyError, SignInAgainError, TooManyCodesError } from '../../platform/http/dashboard-errors';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { PASSKEY_WANTED } from '../people/people.repository';
import type { OpenSession } from '../people/sessions';
import {
  ConfirmSecondFactorDto,
  NewSecondFactorDto,
  NewSecondFactorView,
  RecoveryCodesView,
  SecondFactorCodeDto,
  SecondFactorView,
} from './second-factor.dto';
import { CODE_MISSING, SecondFactorService, WRONG_CODE } from './second-factor.service';

const SIGN_IN_FIRST = [new SignInAgainError(), new SignInAgainError(PASSKEY_WANTED)];
const REFUSALS = [new InvalidBodyError(WRONG_CODE), new TooManyCodesError(600)];

/** The person's device that shows codes. */
@ApiController('people', 'person/second-factor')
export class SecondFactorController {
  constructor(private readonly factor: SecondFactorService) {}

  @Get()
  @SignedIn()
  @AnswersWith({
    operationId: 'getSecondFactor',
    summary: 'Show whether the person has a second factor, and how many recovery codes are left',
    data: SecondFactorView,
    message: 'Second factor fetched',
  })
  show(@CurrentSession() { person }: OpenSession): Promise<SecondFactorView> {
    return this.factor.show(person);
  }

  @Post()
  @SignedIn()
  @AnswersWith({
    operationId: 'beginSecondFactor',
    summary:
      'Get a secret for a new device, within 15 minutes of a sign-in; the device before counts until it is confirmed',
    data: NewSecondFactorView,
    message: 'Secret issued',
    refusals: [...SIGN_IN_FIRST, new InvalidBodyError(CODE_MISSING), ...REFUSALS],
  })
  begin(
    @CurrentSession() session: OpenSession,
    @Body() { code }: NewSecondFactorDto,
    @Ip() address: string,
  ): Promise<NewSecondFactorView> {
    return this.factor.begin(session, { code, address });
  }

  @Post('confirm')
  @SignedIn()
  @AnswersWith({
    operationId: 'confirmSecondFactor',
    summary: 'Confirm the new device by its first code; all other sessions of the person end, and passkeys go on',
    data: RecoveryCodesView,
    message: 'Second factor confirmed',
    refusals: [...SIGN_IN_FIRST, ...REFUSALS],
  })
  confirm(
    @CurrentSession() session: OpenSession,
    @Body() { code }: ConfirmSecondFactorDto,
    @Ip() address: string,
  ): Promise<RecoveryCodesView> {
    return this.factor.confirm(session, code, address);
  }

  @Post('recovery-codes')
  @SignedIn()
  @AnswersWith({
    operationId: 'renewRecoveryCodes',
    summary: 'Get ten new recovery codes; those before are worth nothing from then on',
    data: RecoveryCodesView,
    message: 'Recovery codes renewed',
    refusals: REFUSALS,
  })
  renew(
    @CurrentSession() session: OpenSession,
    @Body() { code }: SecondFactorCodeDto,
    @Ip() address: string,
  ): Promise<RecoveryCodesView> {
    return this.factor.renewRecoveryCodes(session, code, address);
  }

  @Delete()
  @SignedIn()
  @AnswersWith({
    operationId: 'removeSecondFactor',
    summary: 'Remove the second factor and its recovery codes',
    message: 'Second factor removed',
    refusals: REFUSALS,
  })
  remove(
    @CurrentSession() session: OpenSession,
    @Body() { code }: SecondFactorCodeDto,
    @Ip() address: string,
  ): Promise<void> {
    return this.factor.remove(session, code, address);
  }
}
