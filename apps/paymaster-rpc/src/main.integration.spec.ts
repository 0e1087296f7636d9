import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** Runs the service as a separate process that should end by itself. */
function boot(env: Readonly<Record<string, string>>): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['-r', './devnet/load-typescript.cjs', join(__dirname, 'main.ts')], {
    encoding: 'utf8',
    timeout: 150_000,
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: '0',
      NATS_URL: 'nats://127.0.0.1:9',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing',
      CHAINS_FILE: 'nowhere/chains.json',
      API_KEY_INDEX_KEY: randomBytes(32).toString('hex'),
      ...env,
    },
  });
}

describe('the boot', () => {
  it('refuses a raw signer key in production with one line that does not hold the key', () => {
    const key = randomBytes(32).toString('hex');
    const { status, stdout, stderr } = boot({ NODE_ENV: 'production', SIGNER_PRIVATE_KEY: `0x${key}` });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^a raw private key is refused when NODE_ENV is production: .*keystore.*\n$/);
    expect(stderr).not.toContain(key);
  });

  it('names a keystore that is not there in one line', () => {
    const { status, stdout, stderr } = boot({
      SIGNER_KEYSTORE_FILE: 'nowhere/keystore.json',
      SIGNER_KEYSTORE_PASSPHRASE_FILE: 'nowhere/passphrase',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: "the signer's keystore file nowhere/keystore.json cannot be read\n",
    });
  });

  it('names a chains.json that is not there in one line', () => {
    const { status, stdout, stderr } = boot({ NODE_ENV: 'test', SIGNER_PRIVATE_KEY: `0x${'11'.repeat(32)}` });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'nowhere/chains.json: cannot be read\n',
    });
  });
});
