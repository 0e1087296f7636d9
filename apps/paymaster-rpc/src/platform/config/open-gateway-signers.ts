import { openSigners, SignerKeyError, type OpenedSigners, type SignersSource } from '@paymaster/signers';
import type { PaymasterRpcConfig } from './paymaster-rpc.config';

/** The signers that the configuration names. @throws {SignerKeyError} saying what to do */
export async function openGatewaySigners(config: PaymasterRpcConfig): Promise<OpenedSigners> {
  const { nodeEnv, signerTimeoutMs } = config;
  return openSigners({ source: sourceOf(config), nodeEnv, timeoutMs: signerTimeoutMs });
}

function sourceOf(config: PaymasterRpcConfig): SignersSource {
  const { signersFile, signerPrivateKey, signerKeystoreFile, signerKeystorePassphraseFile } = config;
  if (signersFile !== undefined) {
    if (signerPrivateKey !== undefined || signerKeystoreFile !== undefined)
      throw new SignerKeyError(
        'SIGNERS_FILE is set beside SIGNER_KEYSTORE_FILE or SIGNER_PRIVATE_KEY: name the signers in one place',
      );
    return { kind: 'file', path: signersFile };
  }
  if (signerPrivateKey !== undefined) return { kind: 'privateKey', privateKey: signerPrivateKey };
  return {
    kind: 'keystore',
    keystorePath: signerKeystoreFile ?? '',
    passphrasePath: signerKeystorePassphraseFile ?? '',
  };
}
