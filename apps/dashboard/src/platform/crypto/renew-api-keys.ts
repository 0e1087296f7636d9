import { apiKeyIndex } from '@paymaster/messaging';
import type { ApiKeyCipher } from './api-key-cipher';
import type { Renew } from './rewrite-api-keys';

/** Encrypts what an older key opens again with the newest one. */
export function renewCiphertext(cipher: ApiKeyCipher): Renew {
  return ({ ciphertext, paymasterId }) => {
    const { apiKey, isNewest } = cipher.open(ciphertext, paymasterId);
    return isNewest ? undefined : { ciphertext: cipher.encrypt(apiKey, paymasterId) };
  };
}

/** Puts an API key under its blind index of the current index key, whichever it lay under: the key itself says so. */
export function renewIndex(cipher: ApiKeyCipher, indexKeyHex: string): Renew {
  return ({ ciphertext, paymasterId, index }) => {
    if (index === null) return undefined;
    const current = apiKeyIndex(cipher.open(ciphertext, paymasterId).apiKey, indexKeyHex);
    return index === current ? undefined : { index: current };
  };
}
