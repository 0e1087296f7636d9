import { Inject, Injectable } from '@nestjs/common';
import { apiKeyIndex } from '@paymaster/messaging';
import { DashboardConfig } from '../config/dashboard.config';
import { ApiKeyCipher, type EncryptionKeys } from './api-key-cipher';

/**
 * How API keys lie in the database: encrypted, because the list of paymasters shows them again, and under a keyed
 * blind index, by which they are found. A dump of the database without the keys of the environment opens nothing.
 */
@Injectable()
export class ApiKeyVault {
  private readonly cipher: ApiKeyCipher;
  private readonly indexKeyHex: string;

  constructor(@Inject(DashboardConfig) config: EncryptionKeys & Pick<DashboardConfig, 'apiKeyIndexKey'>) {
    this.cipher = new ApiKeyCipher(config);
    this.indexKeyHex = config.apiKeyIndexKey;
  }

  /** The blind index, under which a key is stored and asked for. */
  index(apiKey: string): string {
    return apiKeyIndex(apiKey, this.indexKeyHex);
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
