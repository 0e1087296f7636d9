import { Body, Delete, Get, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentSession } from '../callers/caller';
import {
  AlreadyMemberError,
  ChainUnavailableError,
  InvitationNotFoundError,
  SecondFactorRequiredError,
  SignInRefusedError,
  SignUpByInvitationError,
  TooManyCodesError,
} from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ForVisitors, SignedIn, SignedInOrWaiting } from '../callers/people.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { askingCookie, askingSecretOf, endedSessionCookie, sessionCookie } from '../callers/session-cookie';
import { SessionGate } from '../callers/session-gate';
import type { OpenSession } from '../people/sessions';
import { MeView, NonceView, PersonView } from './me.view';
import { SignInWithPasskeyDto } from './passkey.dto';
import { PasskeyProofs } from './passkey-proofs';
import { PasskeyChallengeView } from './passkey.view';
import { PersonService } from './person.service';
import { SignInNonces } from './sign-in-nonces';
import { SignInWithCodeDto, SignInWithWalletDto, UpdatePersonDto } from './sign-in.dto';
import { NO_PASSKEY, SignInService, type Browser, type OpenedSession } from './sign-in.service';
import { SecondFactorCodeDto } from './second-factor.dto';
import { NO_CODE_WANTED, SecondFactorService, WRONG_CODE } from './second-factor.service';

/** A browser says anything of itself; this much is kept, of printable ASCII. */
const MAX_BROWSER_LENGTH = 200;

/** People sign in to the page, and out. */
@ApiController('people')
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly nonces: SignInNonces,
    private readonly passkeys: PasskeyProofs,
    private readonly people: PersonService,
    private readonly factor: SecondFactorService,
    private readonly gate: SessionGate,
  ) {}

  @Get('session/nonce')
  @ForVisitors()
  @AnswersWith({
    operationId: 'issueNonce',
    summary: 'Get a nonce for a message that a wallet signs',
    data: NonceView,
    message: 'Nonce issued',
  })
  issueNonce(): NonceView {
    return { nonce: this.nonces.issue() };
  }

  @Post('session/wallet')
  @ForVisitors()
  @AnswersWith({
    operationId: 'signInWithWallet',
    summary: 'Sign in with a wallet (ERC-4361; ERC-1271 for wallets that are contracts); sets the cookie',
    data: MeView,
    message: 'Signed in',
    refusals: [
      new SignInRefusedError('The signature is not one of this message by this wallet'),
      new SignUpByInvitationError(),
      new InvitationNotFoundError(),
      new AlreadyMemberError(),
      new SecondFactorRequiredError(),
      new ChainUnavailableError(),
    ],
  })
  async withWallet(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: SignInWithWalletDto,
  ): Promise<MeView> {
    return this.signedIn({ request, reply }, await this.signIn.withWallet(body, this.browserOf(request)));
  }

  @Post('session/code')
  @ForVisitors()
  @AnswersWith({
    operationId: 'signInWithCode',
    summary: 'Sign in with a one-time code, made on the command line or mailed to this browser; sets the cookie',
    data: MeView,
    message: 'Signed in',
    refusals: [
      new SignInRefusedError('The code is unknown, used or too old: ask for another one'),
      new SecondFactorRequiredError(),
    ],
  })
  async withCode(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: SignInWithCodeDto,
  ): Promise<MeView> {
    return this.signedIn({ request, reply }, await this.signIn.withCode(body, this.browserOf(request)));
  }

  @Get('session/passkey')
  @ForVisitors()
  @AnswersWith({
    operationId: 'issuePasskeyChallenge',
    summary: 'Get what a browser needs to use a passkey (navigator.credentials.get)',
    data: PasskeyChallengeView,
    message: 'Challenge issued',
  })
  issueChallenge(): PasskeyChallengeView {
    return { challenge: this.passkeys.challenge(), rpId: this.passkeys.relyingPartyId };
  }

  @Post('session/passkey')
  @ForVisitors()
  @AnswersWith({
    operationId: 'signInWithPasskey',
    summary: 'Sign in with a passkey (Web Authentication) that the person has added before; sets the cookie',
    data: MeView,
    message: 'Signed in',
    refusals: [new SignInRefusedError(NO_PASSKEY)],
  })
  async withPasskey(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: SignInWithPasskeyDto,
  ): Promise<MeView> {
    return this.signedIn({ request, reply }, await this.signIn.withPasskey(body, this.browserOf(request)));
  }

  @Post('session/second-factor')
  @SignedInOrWaiting()
  @AnswersWith({
    operationId: 'completeSignIn',
    summary: 'Complete a sign-in by a code of the second factor, or a recovery code; sets another cookie',
    data: MeView,
    message: 'Signed in',
    refusals: [
      new SignInRefusedError(`The ${WRONG_CODE}`),
      new SignInRefusedError(NO_CODE_WANTED),
      new TooManyCodesError(600),
    ],
  })
  async complete(
    @CurrentSession() session: OpenSession,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() { code }: SecondFactorCodeDto,
  ): Promise<MeView> {
    const token = await this.factor.completeSignIn(session, code, this.browserOf(request));
    return this.signedIn({ request, reply }, { token, waitsForCode: false });
  }

  @Get('session')
  @SignedIn()
  @AnswersWith({
    operationId: 'getSession',
    summary: 'Show who is signed in, and the roles in all accounts of the person',
    data: MeView,
    message: 'Session fetched',
  })
  show(@CurrentSession() session: OpenSession): Promise<MeView> {
    return this.people.me(session);
  }

  @Delete('session')
  @TakesNoFields()
  @SignedInOrWaiting()
  @AnswersWith({
    operationId: 'signOut',
    summary: 'Sign out: the session ends, and the cookie is taken away',
    message: 'Signed out',
  })
  async signOut(
    @CurrentSession() { person, session }: OpenSession,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.people.endSession(person.id, session.id);
    void reply.header('set-cookie', endedSessionCookie());
  }

  @Patch('person')
  @SignedIn()
  @AnswersWith({
    operationId: 'updatePerson',
    summary: 'Change the name under which members of the same accounts see the person',
    data: PersonView,
    message: 'Person updated',
  })
  rename(@CurrentSession() session: OpenSession, @Body() body: UpdatePersonDto): Promise<PersonView> {
    return this.people.rename(session.person, body.name);
  }

  /** @throws {SecondFactorRequiredError} with the cookie of a session that waits for the code */
  private async signedIn(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    { token, waitsForCode }: OpenedSession,
  ): Promise<MeView> {
    void reply.header('set-cookie', sessionCookie(token));
    // Links that this browser has asked for sign nobody in after another person.
    if (askingSecretOf(request.headers.cookie ?? '')) void reply.header('set-cookie', askingCookie('', 0));
    if (waitsForCode) throw new SecondFactorRequiredError();
    return this.people.meOf(token);
  }

  private browserOf(request: FastifyRequest): Browser {
    const name = (request.headers['user-agent'] ?? '').replace(/[^\x20-\x7e]/g, '').slice(0, MAX_BROWSER_LENGTH);
    const askingSecret = askingSecretOf(request.headers.cookie ?? '');
    return { address: request.ip, name, sessionToken: this.gate.tokenOf(request), askingSecret };
  }
}
