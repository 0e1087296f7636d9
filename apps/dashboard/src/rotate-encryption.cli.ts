import 'reflect-metadata';
import { run } from '@paymaster/nest-kit';
import { EncryptionKeysConfig } from './platform/config/encryption-keys.config';
import { ApiKeyCipher } from './platform/crypto/api-key-cipher';
import { renewCiphertext } from './platform/crypto/renew-api-keys';
import { runRotation } from './platform/crypto/rotation-command';

const HELP = `Encrypts every API key in the database again, former ones too, and where alerts go, with API_KEY_ENCRYPTION_KEY.

  --check          counts the rows that an older key still opens, and writes nothing
  --batch-size N   paymasters in one transaction, 1 to 10000; default 500
  --help           this text

Run it when every dashboard process has the new key as API_KEY_ENCRYPTION_KEY and the one before it in
API_KEY_ENCRYPTION_KEYS_OLD (docs/operations/keys.md). Requests are served meanwhile. Safe to stop at any time and to
start again: it goes on with what is left.
Exit code 0: the newest key opens every row. 1: some are left, or could not be read. 2: the command is wrong.
Reads DATABASE_URL, API_KEY_ENCRYPTION_KEY and API_KEY_ENCRYPTION_KEYS_OLD, or the files that NAME_FILE names.
`;

run(() =>
  runRotation({
    name: 'rotate-encryption',
    help: HELP,
    config: EncryptionKeysConfig,
    renewWith: (config) => renewCiphertext(new ApiKeyCipher(config)),
    renewed: 'encrypted again',
  }),
);
