import 'reflect-metadata';
import { run } from '@paymaster/nest-kit';
import { IndexKeysConfig } from './platform/config/index-keys.config';
import { ApiKeyCipher } from './platform/crypto/api-key-cipher';
import { renewIndex } from './platform/crypto/renew-api-keys';
import { runRotation } from './platform/crypto/rotation-command';

const HELP = `Puts every API key in the database, former ones too, under its blind index of API_KEY_INDEX_KEY.

  --check          counts the rows that lie under the index of another key, and writes nothing
  --batch-size N   paymasters in one transaction, 1 to 10000; default 500
  --help           this text

Run it when every gateway and dashboard process has the new key as API_KEY_INDEX_KEY and the one before it in
API_KEY_INDEX_KEYS_OLD (docs/operations/keys.md): they look for API keys under both. Requests are served meanwhile. Safe
to stop at any time and to start again: it goes on with what is left. The indexes are made of the API keys themselves,
so the old index key is not needed here.
Exit code 0: every row lies under API_KEY_INDEX_KEY. 1: some are left, or could not be read. 2: the command is wrong.
Reads DATABASE_URL, API_KEY_INDEX_KEY, API_KEY_ENCRYPTION_KEY and API_KEY_ENCRYPTION_KEYS_OLD, or the files that
NAME_FILE names.
`;

run(() =>
  runRotation({
    name: 'rotate-index',
    help: HELP,
    config: IndexKeysConfig,
    renewWith: (config) => renewIndex(new ApiKeyCipher(config), config.apiKeyIndexKey),
    renewed: 'put under the newest key',
  }),
);
