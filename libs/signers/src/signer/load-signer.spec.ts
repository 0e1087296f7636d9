import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptKeystoreJsonSync, Wallet } from 'ethers';
import { loadSigner } from './load-signer';
import { SignerKeyError } from './signer-error';

const wallet = Wallet.createRandom();

describe('loadSigner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const keystorePath = file(
    'keystore.json',
    encryptKeystoreJsonSync({ address: wallet.address, privateKey: wallet.privateKey }, 'open sesame', {
      scrypt: { N: 2 },
    }),
  );
  const passphrasePath = file('passphrase', 'open sesame\n');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('opens a keystore file with its passphrase file, also in production', async () => {
    const signer = await loadSigner({
      source: { kind: 'keystore', keystorePath, passphrasePath },
      nodeEnv: 'production',
    });
    expect(signer.address).toBe(wallet.address.toLowerCase());
  });

  it('takes a raw key outside production', async () => {
    const signer = await loadSigner({
      source: { kind: 'privateKey', privateKey: wallet.privateKey },
      nodeEnv: 'development',
    });
    expect(signer.address).toBe(wallet.address.toLowerCase());
  });

  it('refuses a raw key in production and says what to do', async () => {
    const source = { kind: 'privateKey', privateKey: wallet.privateKey } as const;
    await expect(loadSigner({ source, nodeEnv: 'production' })).rejects.toThrow(/encrypted JSON keystore file/);
  });

  it.each([
    ['a wrong passphrase', () => ({ keystorePath, passphrasePath: file('wrong', 'close sesame') }), 'does not open'],
    ['a missing file', () => ({ keystorePath: join(folder, 'none'), passphrasePath }), 'cannot be read'],
    ['a file that is no keystore', () => ({ keystorePath: passphrasePath, passphrasePath }), 'not an encrypted JSON'],
  ])('names the file for %s', async (_title, files, message) => {
    const loading = loadSigner({ source: { kind: 'keystore', ...files() }, nodeEnv: 'production' });
    await expect(loading).rejects.toThrow(SignerKeyError);
    await expect(loading).rejects.toThrow(message);
  });

  it('does not repeat a malformed key in its error', async () => {
    const privateKey = `${wallet.privateKey}00`;
    const error = await loadSigner({ source: { kind: 'privateKey', privateKey }, nodeEnv: undefined }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(SignerKeyError);
    expect(String(error)).not.toContain(wallet.privateKey.slice(2, 12));
  });
});
