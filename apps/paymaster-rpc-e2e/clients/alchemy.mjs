// Alchemy's aa-sdk with its ERC-7677 middleware.
import { createSmartAccountClient, erc7677Middleware, LocalAccountSigner, split } from '@aa-sdk/core';
import { createLightAccount } from '@account-kit/smart-contracts';
import { http } from 'viem';
import { drive } from './lib/drive.mjs';

const OF_PAYMASTER = ['pm_getPaymasterStubData', 'pm_getPaymasterData'];
const OF_BUNDLER = [
  'eth_sendUserOperation',
  'eth_estimateUserOperationGas',
  'eth_getUserOperationReceipt',
  'eth_getUserOperationByHash',
  'eth_supportedEntryPoints',
];

await drive(async ({ version, mode, paymasterUrl }, world) => {
  const { chain, stack, token } = world;
  const transport = split({
    overrides: [
      { methods: OF_PAYMASTER, transport: http(paymasterUrl) },
      { methods: OF_BUNDLER, transport: http(stack.bundler) },
    ],
    fallback: http(stack.chainRpc),
  });
  const signer = LocalAccountSigner.privateKeyToAccountSigner(world.newKey());
  const account = await createLightAccount({ transport, chain, signer, version: 'v2.0.0' });
  const client = createSmartAccountClient({
    ...{ transport, chain, account },
    ...erc7677Middleware({ context: mode === 'token' ? { token: token.address } : {} }),
    feeEstimator: async (operation) => ({ ...operation, ...(await world.fees()) }),
  });
  if (mode === 'token') await world.giveTokens(account.address);
  const approvals = mode === 'token' ? [world.approve(stack.paymasters[version])] : [];
  const uo = [...approvals, world.increment].map(({ to, data, value }) => ({ target: to, data, value }));
  const { hash } = await client.sendUserOperation({ uo: uo.length === 1 ? uo[0] : uo });
  return { sender: account.address, userOpHash: hash };
});
