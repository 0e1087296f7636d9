import { readFileSync } from 'node:fs';
import { loadSigner } from '../signer/load-signer';
import { AwsKmsKey } from '../remote/aws-kms-key';
import type { RemoteKey } from '../remote/remote-key';
import { RemoteSigner } from '../remote/remote-signer';
import { SecretFile } from '../remote/secret-file';
import { SignerHttp, type SignerTls } from '../remote/signer-http';
import { VaultTransitKey } from '../remote/vault-transit-key';
import { Web3SignerKey } from '../remote/web3-signer-key';
import type { Signer } from '../signer/signer';
import { SignerKeyError } from '../signer/signer-error';
import type { SignerDefinition } from './signers-schema';

/**
 * The signer that an entry of the file describes; its paths are absolute. Makes no call to a remote service.
 *
 * @param timeoutMs for one signature
 * @throws {SignerKeyError} when a file that it names cannot be used, or holds another key
 */
export async function makeSigner(definition: SignerDefinition, timeoutMs: number): Promise<Signer> {
  const { address } = definition;
  if (definition.kind !== 'keystore') return new RemoteSigner(address, await keyOf(definition), timeoutMs);
  const { keystoreFile, passphraseFile } = definition;
  const source = { kind: 'keystore', keystorePath: keystoreFile, passphrasePath: passphraseFile } as const;
  const signer = await loadSigner({ source, nodeEnv: undefined });
  if (signer.address !== address)
    throw new SignerKeyError(`the keystore's address is ${signer.address}, not ${address}`);
  return signer;
}

async function keyOf(definition: Exclude<SignerDefinition, { kind: 'keystore' }>): Promise<RemoteKey> {
  switch (definition.kind) {
    case 'aws-kms':
      return AwsKmsKey.open(definition);
    case 'vault': {
      const http = new SignerHttp(new URL(definition.url), tlsOf(definition));
      return new VaultTransitKey(http, definition, new SecretFile(definition.tokenFile));
    }
    case 'web3signer':
      return new Web3SignerKey(new SignerHttp(new URL(definition.url), tlsOf(definition)), definition);
  }
}

function tlsOf(files: { caFile?: string; certFile?: string; keyFile?: string }): SignerTls {
  return {
    ...(files.caFile !== undefined && { ca: pem('caFile', files.caFile) }),
    ...(files.certFile !== undefined && { cert: pem('certFile', files.certFile) }),
    ...(files.keyFile !== undefined && { key: pem('keyFile', files.keyFile) }),
  };
}

function pem(field: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new SignerKeyError(`${field} ${path} cannot be read`, { cause });
  }
}
