import { readFile } from 'node:fs/promises';
import { decryptKeystoreJson, isKeystoreJson } from 'ethers';
import { LocalKeySigner } from './local-key-signer';
import { SignerKeyError } from './signer-error';

/** Where the key comes from: files in production, a raw key only on a developer's machine. */
export type SignerKeySource =
  | { readonly kind: 'keystore'; readonly keystorePath: string; readonly passphrasePath: string }
  | { readonly kind: 'privateKey'; readonly privateKey: string };

/**
 * Opens the signer's key. An encrypted JSON keystore (Web3 Secret Storage, as geth and ethers write it) with the
 * passphrase in a second file; a raw key is refused in production.
 *
 * @param nodeEnv the app's NODE_ENV; libraries do not read the environment
 * @throws {SignerKeyError} saying what to do
 */
export async function loadSigner(input: {
  source: SignerKeySource;
  nodeEnv: string | undefined;
}): Promise<LocalKeySigner> {
  const { source, nodeEnv } = input;
  if (source.kind === 'keystore') return fromKeystore(source.keystorePath, source.passphrasePath);
  if (nodeEnv === 'production')
    throw new SignerKeyError(
      'a raw private key is refused when NODE_ENV is production: put the key into an encrypted JSON keystore file ' +
        'and name that file and its passphrase file instead',
    );
  return fromHex(source.privateKey);
}

async function fromKeystore(keystorePath: string, passphrasePath: string): Promise<LocalKeySigner> {
  const keystore = await read(keystorePath, 'keystore');
  // Editors end a file with a newline, which is not a part of the passphrase.
  const passphrase = (await read(passphrasePath, 'passphrase')).replace(/\r?\n$/, '');
  if (!isKeystoreJson(keystore))
    throw new SignerKeyError(`${keystorePath} is not an encrypted JSON keystore (version 3)`);
  try {
    const { privateKey } = await decryptKeystoreJson(keystore, passphrase);
    return fromHex(privateKey);
  } catch (error) {
    // No `cause`: what ethers throws may carry its arguments, and one of them is the passphrase.
    const wrongPassphrase = error instanceof Error && error.message.includes('incorrect password');
    throw new SignerKeyError(
      wrongPassphrase
        ? `the passphrase in ${passphrasePath} does not open the keystore ${keystorePath}`
        : `the keystore ${keystorePath} cannot be decrypted`,
    );
  }
}

async function read(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new SignerKeyError(`the signer's ${what} file ${path} cannot be read`, { cause });
  }
}

function fromHex(privateKey: string): LocalKeySigner {
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey))
    throw new SignerKeyError('the signer key is not 0x and 64 hexadecimal digits');
  return new LocalKeySigner(Buffer.from(privateKey.slice(2), 'hex'));
}
