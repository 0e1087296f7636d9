import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Address, Hex } from '@paymaster/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { InvalidBodyError, SignInRefusedError, SignUpByInvitationError } from '../../platform/http/dashboard-errors';
import { RateLimits } from '../../platform/http/rate-limits';
import { InvitationAcceptance } from '../members/invitation-acceptance';
import { PeopleRepository } from '../people/people.repository';
import type { ProvenWallet } from '../people/person';
import { SecondFactorsRepository } from '../people/second-factors.repository';
import { Sessions, type SessionProof } from '../people/sessions';
import { SignInCodes } from '../people/sign-in-codes';
import type { SignInWithPasskeyDto } from './passkey.dto';
import { PasskeyProofs } from './passkey-proofs';
import { PasskeysRepository } from './passkeys.repository';
import { SignInNonces } from './sign-in-nonces';
import type { SignInWithCodeDto, SignInWithWalletDto } from './sign-in.dto';
import { parseSiweMessage, type SiweMessage } from './siwe-message';
import { WalletSignatures } from './wallet-signatures';

/** How far the clock of a person's device may be ahead of ours; milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** The browser that asks to be signed in. */
export interface Browser {
  readonly address: string;
  /** What it says that it is. */
  readonly name: string;
  /** The text of the session that it has so far; empty when it has none. */
  readonly sessionToken: string;
  /** What it got when it asked for a link by mail; empty when it did not. */
  readonly askingSecret: string;
}

/** A new session, and whether the person has to complete it by a code of the second factor. */
export interface OpenedSession {
  /** The text for its cookie. */
  readonly token: string;
  readonly waitsForCode: boolean;
}

/** People sign in: with a wallet that signs a message (ERC-4361), with a passkey, or with a code of the command line or a mail. */
@Injectable()
export class SignInService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'publicUrl' | 'signUp'>,
    private readonly chains: SupportedChains,
    private readonly nonces: SignInNonces,
    private readonly signatures: WalletSignatures,
    private readonly codes: SignInCodes,
    private readonly passkeys: PasskeysRepository,
    private readonly proofs: PasskeyProofs,
    private readonly invitations: InvitationAcceptance,
    private readonly people: PeopleRepository,
    private readonly factors: SecondFactorsRepository,
    private readonly sessions: Sessions,
    private readonly rates: RateLimits,
  ) {}

  /**
   * Signs in the person of a wallet; the first time the person is made, where that is allowed.
   *
   * @returns the new session
   * @throws {InvalidBodyError} when the message is not one that this installation asks for
   * @throws {SignInRefusedError} {@link SignUpByInvitationError} {@link InvitationNotFoundError}
   *   {@link ChainUnavailableError}
   */
  async withWallet({ message, signature, invitation }: SignInWithWalletDto, browser: Browser): Promise<OpenedSession> {
    const siwe = this.readMessage(message);
    if (!this.nonces.isCurrent(siwe.nonce)) throw this.refuse(browser, siwe.nonce, OLD_NONCE);
    const { address, chainId, nonce } = siwe;
    const wallet = await this.signatures.signerOf({ address, chainId, message, signature: signature as Hex });
    if (!wallet) {
      throw this.refuse(browser, nonce, 'The signature is not one of this message by this wallet');
    }
    return this.dataSource.transaction(async (manager) => {
      if (!(await this.nonces.use(manager, nonce))) throw this.refuse(browser, nonce, OLD_NONCE);
      const { personId, isNew } = await this.findOrCreate(manager, wallet);
      const waits = await this.waitsForCode(manager, personId);
      // Who has not shown all that he signs in with accepts nothing yet: the page accepts it afterwards.
      if (invitation !== undefined && !waits)
        await this.invitations.accept(manager, { code: invitation, personId, ...browser });
      else if (isNew && this.config.signUp === 'invite') throw this.refuseUninvited(browser, nonce);
      return this.openSession(manager, { personId, proof: 'first' }, browser);
    });
  }

  /**
   * Signs in the person of a one-time code.
   *
   * @returns the new session
   * @throws {SignInRefusedError}
   */
  async withCode({ code }: SignInWithCodeDto, browser: Browser): Promise<OpenedSession> {
    return this.dataSource.transaction(async (manager) => {
      const personId = await this.codes.use(manager, code.trim(), browser.askingSecret);
      if (!personId) throw this.refuse(browser, code, 'The code is unknown, used or too old: ask for another one');
      return this.openSession(manager, { personId, proof: 'first' }, browser);
    });
  }

  /**
   * Signs in the person of a passkey, which needs no second factor: the device has checked its owner.
   *
   * @returns the new session
   * @throws {SignInRefusedError} saying the same for a passkey that is not known, and for one that proves nothing
   */
  async withPasskey(body: SignInWithPasskeyDto, browser: Browser): Promise<OpenedSession> {
    const { credentialId } = body;
    const passkey = await this.passkeys.find(credentialId);
    const isOwner = passkey !== null && handleOf(passkey.personId) === body.userHandle;
    const proof = isOwner ? await this.proofs.ofUse(body, passkey) : null;
    if (!passkey || !proof) throw this.refuse(browser, credentialId, NO_PASSKEY);
    const { nonce, signCount } = proof;
    return this.dataSource.transaction(async (manager) => {
      const isFirstUse = await this.nonces.use(manager, nonce);
      const hasCounted = await this.passkeys.noteUse(manager, passkey.id, signCount);
      if (!isFirstUse || !hasCounted) throw this.refuse(browser, credentialId, NO_PASSKEY);
      return this.openSession(manager, { personId: passkey.personId, proof: 'passkey' }, browser);
    });
  }

  /** Always a new session, and the end of the one before: a text that somebody put into the browser is worth nothing. */
  private async openSession(
    manager: EntityManager,
    { personId, proof }: { personId: string; proof: SessionProof },
    browser: Browser,
  ): Promise<OpenedSession> {
    await this.sessions.endByToken(manager, browser.sessionToken);
    const waitsForCode = proof === 'first' && (await this.waitsForCode(manager, personId));
    const of = { personId, browser: browser.name, proof, mayWait: waitsForCode };
    return { token: await this.sessions.open(manager, of), waitsForCode };
  }

  private async waitsForCode(manager: EntityManager, personId: string): Promise<boolean> {
    return (await this.factors.find(personId, manager)) !== null;
  }

  private async findOrCreate(manager: EntityManager, wallet: ProvenWallet) {
    const known = await this.people.findByWallet(manager, wallet);
    if (known) return { personId: known.id, isNew: false };
    const person = { id: randomUUID(), name: shortened(wallet.walletAddress), ...wallet, isOperator: false };
    if (await this.people.insert(manager, person)) return { personId: person.id, isNew: true };
    throw new SignInRefusedError('The wallet signed in at the same moment in another place: try again');
  }

  /** @throws {InvalidBodyError} naming what of the message is wrong */
  private readMessage(text: string): SiweMessage {
    const siwe = parseSiweMessage(text);
    if (!siwe)
      throw new InvalidBodyError('message must be a message of ERC-4361, version 1, with a checksummed address');
    const page = new URL(this.config.publicUrl ?? '');
    const nowMs = Date.now();
    const wrong =
      (siwe.domain !== page.host && `its domain must be ${page.host}`) ||
      (siwe.scheme !== null && `${siwe.scheme}:` !== page.protocol && `its scheme must be ${page.protocol}//`) ||
      (originOf(siwe.uri) !== page.origin && `its URI must begin with ${page.origin}`) ||
      (!this.chains.has(siwe.chainId) && 'its Chain ID must be one of a chain that is served here') ||
      (siwe.issuedAt.getTime() > nowMs + CLOCK_SKEW_MS && 'its Issued At lies in the future') ||
      (siwe.expirationTime && siwe.expirationTime.getTime() <= nowMs && 'its Expiration Time is over') ||
      (siwe.notBefore && siwe.notBefore.getTime() > nowMs + CLOCK_SKEW_MS && 'its Not Before lies in the future');
    if (wrong) throw new InvalidBodyError(`message cannot be accepted: ${wrong}`);
    return siwe;
  }

  /** It counts as a guess: else a stranger's contract could be asked about one nonce for ever. */
  private refuseUninvited({ address }: Browser, credential: string): SignUpByInvitationError {
    this.rates.forget({ address, credential });
    return new SignUpByInvitationError();
  }

  /** Counts a guess of the browser's address. */
  private refuse({ address }: Browser, credential: string, problem: string): SignInRefusedError {
    this.rates.forget({ address, credential });
    return new SignInRefusedError(problem);
  }
}

export const NO_PASSKEY = 'The passkey is not known here, or its answer proves nothing or is too old: try again';

/** What devices keep of a person; base64url. */
const handleOf = (personId: string): string => Buffer.from(personId).toString('base64url');

const OLD_NONCE = 'The nonce is unknown, used or too old: ask for another one';

function originOf(uri: string): string | null {
  return URL.canParse(uri) ? new URL(uri).origin : null;
}

/** A name until the person chooses one: 0xa0cf…251e. */
function shortened(address: Address): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
