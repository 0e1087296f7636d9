import { generateApiKey, isApiKeyShaped } from './api-key';
import { ApiKeyDecryptionError } from './api-key-cipher';
import { ApiKeyVault } from './api-key-vault';

const vault = (encryption = '22', ...old: string[]) =>
  new ApiKeyVault({
    apiKeyEncryptionKey: encryption.repeat(32),
    apiKeyEncryptionKeysOld: old.map((key) => key.repeat(32)).join(', '),
    apiKeyIndexKey: '11'.repeat(32),
  });

describe('API keys', () => {
  it('have the form existing clients know, and are never the same', () => {
    const keys = Array.from({ length: 100 }, generateApiKey);
    expect(new Set(keys).size).toBe(100);
    expect(keys.every(isApiKeyShaped)).toBe(true);
  });
});

describe('ApiKeyVault', () => {
  const apiKey = generateApiKey();

  it('opens what it closed for the same paymaster', () => {
    const ciphertext = vault().encrypt(apiKey, 'paymaster-1');
    expect(vault().decrypt(ciphertext, 'paymaster-1')).toBe(apiKey);
  });

  it('opens what older keys closed, and closes with the newest', () => {
    const ciphertext = vault().encrypt(apiKey, 'paymaster-1');
    expect(vault('33', '44', '22').decrypt(ciphertext, 'paymaster-1')).toBe(apiKey);
    const rewritten = vault('33', '22').encrypt(apiKey, 'paymaster-1');
    expect(vault('33').decrypt(rewritten, 'paymaster-1')).toBe(apiKey);
    expect(() => vault('22').decrypt(rewritten, 'paymaster-1')).toThrow(ApiKeyDecryptionError);
  });

  it('closes the same key differently each time', () => {
    expect(vault().encrypt(apiKey, 'paymaster-1')).not.toBe(vault().encrypt(apiKey, 'paymaster-1'));
  });

  it.each([
    ['another paymaster', (ciphertext: string) => vault().decrypt(ciphertext, 'paymaster-2')],
    ['another key', (ciphertext: string) => vault('33').decrypt(ciphertext, 'paymaster-1')],
    ['an altered ciphertext', (ciphertext: string) => vault().decrypt(`A${ciphertext.slice(1)}`, 'paymaster-1')],
    ['a cut ciphertext', (ciphertext: string) => vault().decrypt(ciphertext.slice(0, 8), 'paymaster-1')],
  ])('does not open for %s, and does not say the key', (_title, open) => {
    let ciphertext = vault().encrypt(apiKey, 'paymaster-1');
    while (ciphertext.startsWith('A')) ciphertext = vault().encrypt(apiKey, 'paymaster-1');
    expect(() => open(ciphertext)).toThrow(ApiKeyDecryptionError);
    expect(() => open(ciphertext)).not.toThrow(apiKey);
  });
});
