import { Body, Delete, Get, Headers, Ip, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentSession } from '../callers/caller';
import { ForVisitors, SignedIn } from '../callers/people.decorators';
import { askingCookie, askingSecretOf } from '../callers/session-cookie';
import { ApiController } from '../../platform/http/api-controller.decorator';
import {
  InvalidBodyError,
  LimitReachedError,
  MailAddressTakenError,
  MailNotSentError,
  MailNotSetUpError,
  SignInAgainError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { PASSKEY_WANTED } from '../people/people.repository';
import type { OpenSession } from '../people/sessions';
import { CODE_VALID_MINUTES } from '../people/sign-in-codes';
import { MailAddressDto, MailAddressView, MailCodeDto } from './mail-address.dto';
import { MailSignIn, TOO_MANY_MAILS, WRONG_MAIL_CODE } from './mail-sign-in.service';

const SIGN_IN_FIRST = [new SignInAgainError(), new SignInAgainError(PASSKEY_WANTED)];

/** Links to sign in, by mail. */
@ApiController('people')
export class MailAddressController {
  constructor(private readonly mail: MailSignIn) {}

  @Post('session/mail-link')
  @ForVisitors()
  @AnswersWith({
    operationId: 'askForMailLink',
    summary:
      'Have a link mailed that signs this browser in, to an address that a person has confirmed; answers the same for all',
    message: 'If a person has confirmed this address, a link is on its way',
    refusals: [new MailNotSetUpError()],
  })
  askForLink(
    @Body() { address }: MailAddressDto,
    @Ip() by: string,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): void {
    const secret = this.mail.askForLink(address, { by, asked: askingSecretOf(cookies ?? '') });
    void reply.header('set-cookie', askingCookie(secret, 60 * CODE_VALID_MINUTES));
  }

  @Get('person/mail-address')
  @SignedIn()
  @AnswersWith({
    operationId: 'getMailAddress',
    summary: 'Show the address to which links to sign in are mailed',
    data: MailAddressView,
    message: 'Mail address fetched',
  })
  async show(@CurrentSession() { person }: OpenSession): Promise<MailAddressView> {
    return { address: await this.mail.addressOf(person.id) };
  }

  @Post('person/mail-address')
  @SignedIn()
  @AnswersWith({
    operationId: 'sendMailCode',
    summary: 'Have a code mailed to an address, which confirms it; within 15 minutes of a sign-in',
    message: 'Mail sent',
    refusals: [
      new MailNotSetUpError(),
      ...SIGN_IN_FIRST,
      new LimitReachedError(TOO_MANY_MAILS),
      new MailNotSentError(),
    ],
  })
  sendCode(@CurrentSession() session: OpenSession, @Body() { address }: MailAddressDto): Promise<void> {
    return this.mail.sendCode(session, address);
  }

  @Post('person/mail-address/confirm')
  @SignedIn()
  @AnswersWith({
    operationId: 'confirmMailAddress',
    summary: 'Confirm an address by the code that was mailed there; links to sign in are mailed there from now on',
    data: MailAddressView,
    message: 'Mail address confirmed',
    refusals: [...SIGN_IN_FIRST, new InvalidBodyError(WRONG_MAIL_CODE), new MailAddressTakenError()],
  })
  async confirm(@CurrentSession() session: OpenSession, @Body() { code }: MailCodeDto): Promise<MailAddressView> {
    return { address: await this.mail.confirm(session, code) };
  }

  @Delete('person/mail-address')
  @TakesNoFields()
  @SignedIn()
  @AnswersWith({
    operationId: 'removeMailAddress',
    summary: 'Mail no more links to sign in; within 15 minutes of a sign-in',
    message: 'Mail address removed',
    refusals: SIGN_IN_FIRST,
  })
  remove(@CurrentSession() session: OpenSession): Promise<void> {
    return this.mail.remove(session);
  }
}
