import { createPublicKey, type KeyObject } from 'node:crypto';
import { ApiProperty } from '@nestjs/swagger';
import type { SessionAlgorithm } from '@paymaster/domain';
import { Allow } from 'class-validator';
import { Name } from '../../platform/fields/text-rules';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';

const MAX_PEM_LENGTH = 1_000;
const PUBLIC_PEM = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/;
const PROBLEM =
  'publicKey must be a public Ed25519 or P-256 key: SubjectPublicKeyInfo as PEM text, or a JWK without private fields';

/** Body of POST session-keys. */
export class CreateSessionKeyDto {
  @Name({ example: 'shop back end' })
  name!: string;

  @ApiProperty({
    anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    example:
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n',
    description: 'Ed25519 or P-256: SubjectPublicKeyInfo as PEM, or a JWK. Never send the private key.',
  })
  @Allow()
  publicKey!: unknown;
}

/** A public key in the one form in which it is stored. @throws {InvalidBodyError} */
export function parsePublicKey(value: unknown): { readonly algorithm: SessionAlgorithm; readonly spki: string } {
  const key = keyOf(value);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const isP256 = type === 'ec' && details?.namedCurve === 'prime256v1';
  if (!key || !(isP256 || type === 'ed25519')) throw new InvalidBodyError(PROBLEM);
  const spki = key.export({ format: 'der', type: 'spki' }).toString('base64');
  return { algorithm: isP256 ? 'ES256' : 'EdDSA', spki };
}

/** A private key would give a public one too: it is refused, so that nobody gets used to sending it. */
function keyOf(value: unknown): KeyObject | undefined {
  try {
    if (typeof value === 'string') {
      return value.length <= MAX_PEM_LENGTH && PUBLIC_PEM.test(value) ? createPublicKey(value) : undefined;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const { kty, crv, x, y, d } = value as Record<string, unknown>;
    if (d !== undefined) return undefined;
    return createPublicKey({ key: { kty, crv, x, y } as never, format: 'jwk' });
  } catch {
    return undefined;
  }
}
