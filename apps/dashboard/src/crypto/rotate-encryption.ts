import type { ApiKeyCipher } from './api-key-cipher';
import { rewriteApiKeys, type RotationOptions, type RotationProgress } from './rewrite-api-keys';

/** Encrypts every API key that an older key opens again with the newest one. */
export function rotateEncryption(
  options: RotationOptions & { readonly cipher: ApiKeyCipher },
): Promise<RotationProgress> {
  const { cipher } = options;
  return rewriteApiKeys({
    ...options,
    renew: ({ ciphertext, paymasterId }) => {
      const { apiKey, isNewest } = cipher.open(ciphertext, paymasterId);
      return isNewest ? undefined : { ciphertext: cipher.encrypt(apiKey, paymasterId) };
    },
  });
}
