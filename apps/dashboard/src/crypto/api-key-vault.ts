import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { apiKeyIndex } from '@paymaster/messaging';
import { DashboardConfig } from '../config/dashboard.config';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A ciphertext that this key does not open for this paymaster: another key, another row, or altered bytes. */
export class ApiKeyDecryptionError extends Error {
  constructor(paymasterId: string, options: ErrorOptions) {
    super(
      `the API key of paymaster ${paymasterId} cannot be decrypted; is API_KEY_ENCRYPTION_KEY the right one?`,
      options,
    );
    this.name = 'ApiKeyDecryptionError';
  }
}

/**
 * How API keys lie in the database: encrypted, because the list of paymasters shows them again, and under a keyed
 * blind index, by which they are found. A dump of the database without the two keys of the environment opens nothing.
 */
@Injectable()
export class ApiKeyVault {
  private readonly encryptionKey: Buffer;
  private readonly indexKeyHex: string;

  constructor(@Inject(DashboardConfig) config: Pick<DashboardConfig, 'apiKeyEncryptionKey' | 'apiKeyIndexKey'>) {
    this.encryptionKey = Buffer.from(config.apiKeyEncryptionKey.replace(/^0x/, ''), 'hex');
    this.indexKeyHex = config.apiKeyIndexKey;
  }

  /** The blind index, under which a key is stored and asked for. */
  index(apiKey: string): string {
    return apiKeyIndex(apiKey, this.indexKeyHex);
  }

  /** AES-256-GCM, bound to the paymaster: base64 of iv ++ ciphertext ++ tag. */
  encrypt(apiKey: string, paymasterId: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.encryptionKey, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(paymasterId, 'utf8'));
    return Buffer.concat([iv, cipher.update(apiKey, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  /** @throws {ApiKeyDecryptionError} when the ciphertext is not of this key and this paymaster */
  decrypt(ciphertext: string, paymasterId: string): string {
    const bytes = Buffer.from(ciphertext, 'base64');
    try {
      const iv = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv(ALGORITHM, this.encryptionKey, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(paymasterId, 'utf8'));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw new ApiKeyDecryptionError(paymasterId, { cause });
    }
  }
}
