import { loadSigner, type Signer } from '@paymaster/chain';
import type { PaymasterRpcConfig } from './paymaster-rpc.config';

/** The signer that the configuration names. @throws {SignerKeyError} saying what to do */
export function openSigner(config: PaymasterRpcConfig): Promise<Signer> {
  const { nodeEnv, signerPrivateKey, signerKeystoreFile = '', signerKeystorePassphraseFile = '' } = config;
  const source = signerPrivateKey
    ? ({ kind: 'privateKey', privateKey: signerPrivateKey } as const)
    : ({
        kind: 'keystore',
        keystorePath: signerKeystoreFile,
        passphrasePath: signerKeystorePassphraseFile,
      } as const);
  return loadSigner({ source, nodeEnv });
}
