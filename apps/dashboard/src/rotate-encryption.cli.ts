import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadConfig, run } from '@paymaster/nest-kit';
import { Client } from 'pg';
import { EncryptionKeysConfig } from './config/encryption-keys.config';
import { ApiKeyCipher } from './crypto/api-key-cipher';
import { countApiKeys, type RotationProgress } from './crypto/rewrite-api-keys';
import { rotateEncryption } from './crypto/rotate-encryption';

const HELP = `Encrypts every API key in the database again, former ones too, with API_KEY_ENCRYPTION_KEY.

  --check          counts the rows that an older key still opens, and writes nothing
  --batch-size N   rows in one transaction, 1 to 10000; default 500
  --help           this text

Run it when every dashboard process has the new key as API_KEY_ENCRYPTION_KEY and the one before it in
API_KEY_ENCRYPTION_KEYS_OLD (docs/operations/keys.md). Requests are served meanwhile. Safe to stop at any time and to
start again: it goes on with what is left.
Exit code 0: the newest key opens every row. 1: some are left, or could not be read. 2: the command is wrong.
Reads DATABASE_URL, API_KEY_ENCRYPTION_KEY and API_KEY_ENCRYPTION_KEYS_OLD, or the files that NAME_FILE names.
`;

interface Arguments {
  readonly help: boolean;
  readonly checkOnly: boolean;
  readonly batchSize: number;
}

async function main(): Promise<void> {
  const asked = readArguments();
  if (!asked) return;
  if (asked.help) return print(HELP);
  const { checkOnly, batchSize } = asked;
  const config = loadConfig(EncryptionKeysConfig);
  const client = new Client({ connectionString: config.databaseUrl, application_name: 'rotate-encryption' });
  await client.connect();
  try {
    const total = await countApiKeys(client);
    const cipher = new ApiKeyCipher(config);
    const onBatch = ({ seen, behind }: RotationProgress): void =>
      print(`${seen} of ${total} rows, ${behind} ${checkOnly ? 'are of an older key' : 'encrypted again'}\n`);
    report(await rotateEncryption({ client, cipher, batchSize, checkOnly, onBatch }), checkOnly);
  } finally {
    await client.end();
  }
}

function report({ seen, behind, unreadable }: RotationProgress, checkOnly: boolean): void {
  for (const id of unreadable) process.stderr.write(`The API key of paymaster ${id} is opened by no key.\n`);
  const left = unreadable.length + (checkOnly ? behind : 0);
  print(`Done: ${seen} rows, ${seen - left} of the newest key, ${left} left.\n`);
  if (left > 0) process.exitCode = 1;
}

/** Undefined, with the help and exit code 2, when the command is wrong. */
function readArguments(): Arguments | undefined {
  try {
    const { values } = parseArgs({
      options: {
        check: { type: 'boolean', default: false },
        'batch-size': { type: 'string', default: '500' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const batchSize = Number(values['batch-size']);
    if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > 10_000) {
      throw new Error('--batch-size must be a whole number from 1 to 10000.');
    }
    return { help: values.help, checkOnly: values.check, batchSize };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'Unknown arguments.'}\n\n${HELP}`);
    process.exitCode = 2;
    return undefined;
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

run(main);
