// Cometh's SDK with its paymaster client, as its documentation writes them.
import {
  createComethPaymasterClient,
  createSafeSmartAccount,
  createSmartAccountClient,
} from '@cometh/connect-sdk-4337';
import { http } from 'viem';
import { drive } from './lib/drive.mjs';
import { serve } from './lib/serve.mjs';

/** What Cometh's API says of a project: the contracts of Safe 1.4.1, which are the same on all chains. */
const PROJECT = {
  safeContractParams: {
    safeProxyFactoryAddress: '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67',
    safeSingletonAddress: '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
    multisendAddress: '0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526',
    setUpContractAddress: '0x2dd68b007B46fBe91B9A7c3EDa5A7a1063cB5b47',
    safe4337ModuleAddress: '0x75cf11467937ce3F2f357CE24ffc3DBF8fD5c226',
    safeWebAuthnSharedSignerContractAddress: '0x94a4F6affBd8975951142c3999aEAB7ecee555c2',
  },
};
const baseUrl = await serve((path) => (path === '/wallet/init' ? { isNewWallet: true } : { projectParams: PROJECT }));

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chain, publicClient, stack } = world;
  const account = await createSafeSmartAccount({
    ...{ apiKey: 'none', baseUrl, chain, publicClient, signer: world.newOwner() },
  });
  const paymaster = createComethPaymasterClient({ transport: http(paymasterUrl), chain, publicClient });
  const client = createSmartAccountClient({
    ...{ account, chain, paymaster, bundlerTransport: http(stack.bundler) },
    ...(mode === 'token' && { paymasterContext: { token: world.token.address } }),
    userOperation: { estimateFeesPerGas: () => paymaster.getUserOperationGasPrice() },
  });
  const send = async (calls) => world.operationIn(await client.sendTransaction({ calls }), account.address);
  return { sender: account.address, send };
});
