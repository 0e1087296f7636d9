import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** What authenticator apps know: RFC 6238 with SHA-1, six digits, 30 seconds. */
const TERMS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Steps before and after the current one whose codes are taken: clocks of devices differ. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** 32 characters, without those that are taken for others. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const RECOVERY_CHARACTERS = 16;

/** A new secret for a device, in base32. */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** What a device reads from the QR code. */
export function otpauthUri(secret: string, { issuer, name }: { issuer: string; name: string }): string {
  return new TOTP({ ...TERMS, secret: Secret.fromBase32(secret), issuer, label: name }).toString();
}

/** Whether a code has the form of those that devices show; recovery codes have another. */
export const isOfDevice = (code: string): boolean => /^\d{6}$/.test(code);

/** The step of 30 seconds since 1970 whose code this is; null for a code of another time or secret. */
export function stepOf(secret: string, code: string, nowMs: number): number | null {
  if (!isOfDevice(code)) return null;
  const totp = new TOTP({ ...TERMS, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / 1_000 / TERMS.period) + delta;
}

/** Ten codes of 80 random bits each, in the form in which people copy them: `abcd-efgh-ijkm-npqr`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const characters = [...randomBytes(RECOVERY_CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return characters.match(/.{4}/g)?.join('-') ?? '';
  });
}

/** A code as it is compared: without spaces and dashes, in small letters. */
export function bareCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toLowerCase();
}
