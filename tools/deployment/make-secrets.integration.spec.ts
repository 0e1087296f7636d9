import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DEV_KEYS } from '@paymaster/devnet';
import { Wallet } from 'ethers';
import { parseCompose } from './compose-schema';
import { read, ROOT } from './environment';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-secrets-'));
  for (const part of ['make-secrets', 'devnet']) {
    cpSync(join(ROOT, 'docker', part), join(folder, part), { recursive: true });
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

function makeSecrets(...args: string[]) {
  return spawnSync(join(folder, 'make-secrets'), args, { encoding: 'utf8' });
}

const contents = (where: string) =>
  Object.fromEntries(readdirSync(where).map((file) => [file, readFileSync(join(where, file), 'utf8')]));
const { compose } = parseCompose(read('docker/compose.yaml'));
const mounted = Object.values(compose.secrets).map(({ file }) => basename(file));

describe('docker/make-secrets', () => {
  it('makes all but the signer for chains of ones own, and says what is still to come', () => {
    const { status, stdout } = makeSecrets();
    expect(status).toBe(0);
    const made = readdirSync(join(folder, 'secrets')).sort();
    expect(made).toEqual(mounted.filter((file) => !file.startsWith('signer_')).sort());
    expect(stdout).toContain('still to come, from you');
  });

  it('makes every file that compose mounts for the devnet, readable in containers and for nobody else here', () => {
    expect(makeSecrets('--devnet').status).toBe(0);
    const where = join(folder, 'secrets/devnet');
    expect(readdirSync(where).sort()).toEqual([...mounted].sort());
    expect(statSync(where).mode & 0o777).toBe(0o700);
    for (const file of mounted) expect(statSync(join(where, file)).mode & 0o777).toBe(0o444);
    const files = contents(where);
    expect(files['api_key_index_key']).toMatch(/^[0-9a-f]{64}$/);
    expect(files['database_url']).toBe(`postgres://paymaster:${files['postgres_password']}@postgres:5432/paymaster`);
    const random = mounted.filter((file) => /_(password|key)$/.test(file)).map((file) => files[file]);
    expect(new Set(random).size).toBe(random.length);
  });

  it('signs in the devnet with the key that its contracts trust', () => {
    makeSecrets('--devnet');
    const files = contents(join(folder, 'secrets/devnet'));
    const wallet = Wallet.fromEncryptedJsonSync(
      files['signer_keystore.json'] ?? '',
      files['signer_keystore_passphrase'] ?? '',
    );
    expect(wallet.address).toBe(DEV_KEYS.signer.address);
  });

  it('keeps what is there', () => {
    makeSecrets('--devnet');
    const before = contents(join(folder, 'secrets/devnet'));
    expect(makeSecrets('--devnet')).toMatchObject({ status: 0, stdout: '' });
    expect(contents(join(folder, 'secrets/devnet'))).toEqual(before);
  });

  it('refuses what it does not know with its usage', () => {
    expect(makeSecrets('--dev')).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage') });
  });
});
