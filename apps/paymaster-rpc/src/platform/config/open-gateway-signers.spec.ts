import { loadConfig } from '@paymaster/nest-kit';
import { openGatewaySigners } from './open-gateway-signers';
import { PaymasterRpcConfig } from './paymaster-rpc.config';

const KEY = `0x${'a1b2c3d4'.repeat(8)}`;

describe('openGatewaySigners', () => {
  const open = (env: Record<string, string>) =>
    openGatewaySigners(
      loadConfig(PaymasterRpcConfig, {
        NATS_URL: 'nats://127.0.0.1:4222',
        DATABASE_URL: 'postgres://127.0.0.1/paymaster',
        CHAINS_FILE: 'chains.json',
        API_KEY_INDEX_KEY: 'ab'.repeat(32),
        ...env,
      }),
    );

  it('opens one raw key outside production', async () => {
    const { set, file } = await open({ NODE_ENV: 'development', SIGNER_PRIVATE_KEY: KEY });
    expect(set.report()).toEqual([expect.objectContaining({ name: 'local', isUp: true })]);
    expect(file).toBeUndefined();
  });

  it('refuses a raw key in production', async () => {
    await expect(open({ NODE_ENV: 'production', SIGNER_PRIVATE_KEY: KEY })).rejects.toThrow('raw private key');
  });

  it.each([
    ['a raw key', { SIGNER_PRIVATE_KEY: KEY }],
    ['a keystore', { SIGNER_KEYSTORE_FILE: 'keystore.json', SIGNER_KEYSTORE_PASSPHRASE_FILE: 'passphrase' }],
  ])('refuses SIGNERS_FILE beside %s', async (_title, key) => {
    await expect(open({ SIGNERS_FILE: 'signers.json', ...key })).rejects.toThrow('name the signers in one place');
  });

  it('names a signers file that is not there', async () => {
    await expect(open({ SIGNERS_FILE: 'none/signers.json' })).rejects.toThrow('none/signers.json: cannot be read');
  });

  it('asks for a keystore when no signer is configured', async () => {
    await expect((async () => open({}))()).rejects.toThrow('SIGNER_KEYSTORE_FILE');
  });
});
