import type { Schemas } from '../api/queries';
import { PasskeyError } from './passkey-error';

/** Whether this browser can have passkeys for this page: they are kept for names of hosts, not for numbers. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in window && !/^(\[|[\d.]+$)/.test(window.location.hostname);
}

/** Has the person's device make a key. @throws {PasskeyError} */
export async function makePasskey(
  asked: Schemas['NewPasskeyView'],
): Promise<Omit<Schemas['CreatePasskeyDto'], 'name'>> {
  const { challenge, rpId, personId, name, algorithms, credentialIds } = asked;
  const { rawId, response } = await answered(
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(challenge),
        rp: { id: rpId, name: 'Paymaster' },
        user: { id: new TextEncoder().encode(personId), name, displayName: name },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: credentialIds.map((id) => ({ type: 'public-key', id: bytesOf(id) })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
      },
    }),
  );
  const { clientDataJSON, attestationObject } = response as AuthenticatorAttestationResponse;
  return {
    credentialId: textOf(rawId),
    clientDataJSON: textOf(clientDataJSON),
    attestationObject: textOf(attestationObject),
  };
}

/** Has the person choose a passkey of this page, and a device use it. @throws {PasskeyError} */
export async function usePasskey(asked: Schemas['PasskeyChallengeView']): Promise<Schemas['SignInWithPasskeyDto']> {
  const { rawId, response } = await answered(
    navigator.credentials.get({
      publicKey: { challenge: bytesOf(asked.challenge), rpId: asked.rpId, userVerification: 'required' },
    }),
  );
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  return {
    credentialId: textOf(rawId),
    clientDataJSON: textOf(clientDataJSON),
    authenticatorData: textOf(authenticatorData),
    signature: textOf(signature),
    userHandle: textOf(userHandle ?? new ArrayBuffer()),
  };
}

const SENTENCES: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: it was declined, or it took too long.',
  InvalidStateError: 'This device has a passkey for you already.',
  SecurityError: 'This browser keeps no passkeys for the address of this page.',
};

async function answered(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await asked;
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    const { name } = error as DOMException;
    throw new PasskeyError(SENTENCES[name] ?? 'The device could not do it.', { cause: error });
  }
  throw new PasskeyError('The browser has no passkey for this page.');
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
