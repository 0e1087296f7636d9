import { Inject, Injectable } from '@nestjs/common';
import { apiKeyIndex, indexKeysOf, type IndexKeys, type IndexKeySettings } from '@paymaster/messaging';
import { DashboardConfig } from '../config/dashboard.config';
import { ApiKeyCipher, type EncryptionKeys } from './api-key-cipher';

/**
 * How API keys lie in the database: encrypted, because the list of paymasters shows them again, and under a keyed
 * blind index, by which they are found. A dump of the database without the keys of the environment opens nothing.
 */
@Injectable()
export class ApiKeyVault {
  private readonly cipher: ApiKeyCipher;
  private readonly indexKeys: IndexKeys;

  constructor(@Inject(DashboardConfig) config: EncryptionKeys & IndexKeySettings) {
    this.cipher = new ApiKeyCipher(config);
    this.indexKeys = indexKeysOf(config);
  }

  /** The blind index, under which a key is stored. */
  index(apiKey: string): string {
    return apiKeyIndex(apiKey, this.indexKeys[0]);
  }

  /** All blind indexes under which a key may lie there, while the index key is being replaced; that of {@link index} first. */
  indexes(apiKey: string): string[] {
    return this.indexKeys.map((key) => apiKeyIndex(apiKey, key));
  }

  /** Only for this paymaster. */
  encrypt(apiKey: string, paymasterId: string): string {
    return this.cipher.encrypt(apiKey, paymasterId);
  }

  /** @throws {ApiKeyDecryptionError} when the ciphertext is not of our keys and this paymaster */
  decrypt(ciphertext: string, paymasterId: string): string {
    return this.cipher.open(ciphertext, paymasterId).apiKey;
  }
}
