import { Inject, Injectable } from '@nestjs/common';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import type { NewCredentialDto, SignInWithPasskeyDto } from './passkey.dto';
import type { Passkey } from './passkeys.repository';
import { SignInNonces } from './sign-in-nonces';

/** EdDSA, ES256 and RS256, by their COSE numbers: what browsers and their devices have. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];
const SIGN_IN = 'passkey';

/** What a device has proven, and the nonce of the challenge that it signed, which has to be used up. */
export interface PasskeyProof {
  readonly signCount: number;
  readonly nonce: string;
}

/**
 * Believes devices (Web Authentication, level 3, sections 7.1 and 7.2): the answer is to a challenge of ours that is not
 * too old, was made on the page at `PUBLIC_URL`, for its host name, by the key, and after the device has checked who
 * holds it (PIN, finger, face).
 */
@Injectable()
export class PasskeyProofs {
  constructor(
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'publicUrl'>,
    private readonly nonces: SignInNonces,
  ) {}

  /** For whom devices keep keys: the host name of the page. A key is used on no other page. */
  get relyingPartyId(): string {
    return new URL(this.page).hostname;
  }

  /** A challenge for a sign-in, or to add a passkey of this person; base64url. */
  challenge(personId?: string): string {
    return Buffer.from(this.nonces.issue(Date.now(), purposeOf(personId))).toString('base64url');
  }

  /** @returns null when the device proves no new key of this person */
  async ofNewKey(
    { credentialId: id, clientDataJSON, attestationObject }: NewCredentialDto,
    personId: string,
  ): Promise<(PasskeyProof & Pick<Passkey, 'credentialId' | 'publicKey'>) | null> {
    return this.orNull(personId, async (asked) => {
      refuseCertificates(attestationObject);
      const { registrationInfo } = await verifyRegistrationResponse({
        ...asked,
        response: {
          ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
          response: { clientDataJSON, attestationObject },
        },
        supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
      });
      if (!registrationInfo) return null;
      const { id: credentialId, publicKey, counter: signCount } = registrationInfo.credential;
      return { credentialId, publicKey: Buffer.from(publicKey), signCount };
    });
  }

  /** @returns null when the device does not prove that it has the key */
  async ofUse(
    { credentialId: id, clientDataJSON, authenticatorData, signature }: SignInWithPasskeyDto,
    { publicKey, signCount: counter }: Passkey,
  ): Promise<PasskeyProof | null> {
    return this.orNull(undefined, async (asked) => {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        ...asked,
        response: {
          ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
          response: { clientDataJSON, authenticatorData, signature },
        },
        credential: { id, publicKey: new Uint8Array(publicKey), counter },
      });
      return verified ? { signCount: authenticationInfo.newCounter } : null;
    });
  }

  private get page(): string {
    return this.config.publicUrl ?? '';
  }

  /** The library throws at whatever is wrong with an answer; who sent it learns no more than that it is wrong. */
  private async orNull<T extends object>(
    personId: string | undefined,
    verify: (asked: ReturnType<PasskeyProofs['asked']>) => Promise<T | null>,
  ): Promise<(T & { nonce: string }) | null> {
    let nonce = '';
    const asked = this.asked((challenge) => {
      nonce = Buffer.from(challenge, 'base64url').toString('latin1');
      return this.nonces.isCurrent(nonce, Date.now(), purposeOf(personId));
    });
    const proven = await verify(asked).catch(() => null);
    return proven && { ...proven, nonce };
  }

  private asked(expectedChallenge: (challenge: string) => boolean) {
    return {
      ...{ expectedChallenge, expectedOrigin: this.page, expectedRPID: this.relyingPartyId },
      requireUserVerification: true,
    };
  }
}

const purposeOf = (personId: string | undefined): string => (personId ? `${SIGN_IN} of ${personId}` : SIGN_IN);

/**
 * The page asks for no statement about the device's maker, and browsers leave it out. A statement with certificates
 * would have the library read them, and ask the addresses in them whether they are revoked.
 */
function refuseCertificates(attestationObject: string): void {
  const statement = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const isBare = statement.get('fmt') === 'none' || statement.get('fmt') === 'packed';
  if (!isBare || statement.get('attStmt').get('x5c') !== undefined) throw new Error('a statement was not asked for');
}
