import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Keys of the dashboard's vault, 32 bytes as hex. They belong to the database they encrypt. */
export interface Secrets {
  readonly apiKeyEncryptionKey: string;
  readonly apiKeyIndexKey: string;
}

/** The keys of this world, made at its first start; the environment wins. */
export function loadSecrets(file: string): Secrets {
  if (!existsSync(file)) {
    const made: Secrets = { apiKeyEncryptionKey: key(), apiKeyIndexKey: key() };
    writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 });
  }
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Secrets;
  return {
    apiKeyEncryptionKey: process.env['API_KEY_ENCRYPTION_KEY'] ?? kept.apiKeyEncryptionKey,
    apiKeyIndexKey: process.env['API_KEY_INDEX_KEY'] ?? kept.apiKeyIndexKey,
  };
}

function key(): string {
  return randomBytes(32).toString('hex');
}
