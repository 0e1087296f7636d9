// @safe-global/relay-kit, its Safe4337Pack.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Safe4337Pack } from '@safe-global/relay-kit';
import { getAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { drive } from './lib/drive.mjs';

/** Of the module; the client looks them up by chain id in a list of public chains. */
const CONTRACTS = {
  safe4337ModuleAddress: '0x75cf11467937ce3F2f357CE24ffc3DBF8fD5c226',
  safeModulesSetupAddress: '0x2dd68b007B46fBe91B9A7c3EDa5A7a1063cB5b47',
};

const require = createRequire(import.meta.url);
/** Safe's other contracts can't be named: the local chain joins the list of chains that have them. */
function listChain(chainId) {
  const folder = join(dirname(require.resolve('@safe-global/safe-deployments')), 'assets/v1.4.1');
  for (const file of readdirSync(folder)) require(join(folder, file)).networkAddresses[chainId] = 'canonical';
}

await drive(async ({ account, version, mode, paymasterUrl }, world) => {
  const { chainRpc, bundler, entryPoints, paymasters } = world.stack;
  listChain(world.stack.chainId);
  const signer = world.newKey();
  const pack = await Safe4337Pack.init({
    ...{ provider: chainRpc, signer, bundlerUrl: bundler, safeModulesVersion: '0.3.0' },
    customContracts: { ...CONTRACTS, entryPointAddress: getAddress(entryPoints[version]) },
    options: { owners: [privateKeyToAccount(signer).address], threshold: 1, deploymentType: 'canonical' },
    paymasterOptions: {
      paymasterUrl,
      ...(mode === 'sponsored'
        ? { isSponsored: true }
        : { paymasterAddress: paymasters[version], paymasterTokenAddress: world.token.address }),
    },
    ...(account.includes('onchainAnalytics') && { onchainAnalytics: { project: 'paymaster', platform: 'Web' } }),
  });
  const sender = await pack.protocolKit.getAddress();
  async function send(calls) {
    const transactions = calls.map(({ to, data, value }) => ({ to, data, value: String(value) }));
    const executable = await pack.signSafeOperation(await pack.createTransaction({ transactions }));
    return pack.executeTransaction({ executable });
  }
  return { sender, send, approvesItself: true };
});
