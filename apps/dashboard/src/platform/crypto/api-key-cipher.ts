import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A ciphertext that no key here opens for this paymaster: another key, another row, or altered bytes. */
export class ApiKeyDecryptionError extends Error {
  constructor(paymasterId: string, options: ErrorOptions) {
    super(
      `the API key of paymaster ${paymasterId} cannot be decrypted; is API_KEY_ENCRYPTION_KEY the right one, ` +
        'and the key before it in API_KEY_ENCRYPTION_KEYS_OLD?',
      options,
    );
    this.name = 'ApiKeyDecryptionError';
  }
}

export interface EncryptionKeys {
  /** Hex, 32 bytes. Everything is written with it. */
  readonly apiKeyEncryptionKey: string;
  /** More of them, separated by commas; they only read. */
  readonly apiKeyEncryptionKeysOld?: string | undefined;
}

/**
 * AES-256-GCM, bound to the paymaster: base64 of iv ++ ciphertext ++ tag. Several keys may be live at once: the tag
 * tells which one it was, so no key id is stored, and keys are tried newest first.
 */
export class ApiKeyCipher {
  private readonly newest: Buffer;
  private readonly older: readonly Buffer[];

  constructor({ apiKeyEncryptionKey, apiKeyEncryptionKeysOld = '' }: EncryptionKeys) {
    this.newest = fromHex(apiKeyEncryptionKey);
    this.older = apiKeyEncryptionKeysOld.split(',').flatMap((key) => (key.trim() === '' ? [] : [fromHex(key.trim())]));
  }

  /** With the newest key. */
  encrypt(apiKey: string, paymasterId: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.newest, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(paymasterId, 'utf8'));
    return Buffer.concat([iv, cipher.update(apiKey, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  /**
   * @returns the API key, and whether the newest key opened it
   * @throws {ApiKeyDecryptionError} when no key opens the ciphertext for this paymaster
   */
  open(ciphertext: string, paymasterId: string): { readonly apiKey: string; readonly isNewest: boolean } {
    const bytes = Buffer.from(ciphertext, 'base64');
    let cause: unknown;
    for (const key of [this.newest, ...this.older]) {
      try {
        return { apiKey: openWith(key, bytes, paymasterId), isNewest: key === this.newest };
      } catch (error) {
        cause ??= error;
      }
    }
    throw new ApiKeyDecryptionError(paymasterId, { cause });
  }
}

function openWith(key: Buffer, bytes: Buffer, paymasterId: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(paymasterId, 'utf8'));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

const fromHex = (key: string): Buffer => Buffer.from(key.replace(/^0x/, ''), 'hex');
