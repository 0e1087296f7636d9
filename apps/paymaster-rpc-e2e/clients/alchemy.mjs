// Alchemy's aa-sdk with its ERC-7677 middleware, or with its account kit's, which asks by Alchemy's own method.
import { createSmartAccountClient, erc7677Middleware, LocalAccountSigner, split } from '@aa-sdk/core';
import { alchemyGasAndPaymasterAndDataMiddleware } from '@account-kit/infra';
import { createLightAccount, createModularAccountV2 } from '@account-kit/smart-contracts';
import { http } from 'viem';
import { drive } from './lib/drive.mjs';

const OF_PAYMASTER = ['pm_getPaymasterStubData', 'pm_getPaymasterData', 'alchemy_requestGasAndPaymasterAndData'];
/** More than any operation here costs; base units of a token with 6 decimals. */
const ENOUGH_TOKENS = 1_000_000_000n;
const OF_BUNDLER = [
  'eth_sendUserOperation',
  'eth_estimateUserOperationGas',
  'eth_getUserOperationReceipt',
  'eth_getUserOperationByHash',
  'eth_supportedEntryPoints',
];

const ACCOUNTS = {
  'LightAccount 1.1.0': (common) => createLightAccount({ ...common, version: 'v1.1.0' }),
  'LightAccount 2.0.0': (common) => createLightAccount({ ...common, version: 'v2.0.0' }),
  'ModularAccount 2': (common) => createModularAccountV2(common),
};

await drive(async ({ account: name, mode, paymasterUrl, ownMethod, policyId }, world) => {
  const { chain, stack, token } = world;
  const transport = split({
    overrides: [
      { methods: OF_PAYMASTER, transport: http(paymasterUrl) },
      { methods: OF_BUNDLER, transport: http(stack.bundler) },
    ],
    fallback: http(stack.chainRpc),
  });
  const signer = LocalAccountSigner.privateKeyToAccountSigner(world.newKey());
  const account = await ACCOUNTS[name]({ transport, chain, signer });
  const payment =
    mode === 'token' ? { policyToken: { address: token.address, maxTokenAmount: ENOUGH_TOKENS } } : { policyId };
  const client = createSmartAccountClient({
    ...{ transport, chain, account },
    ...(ownMethod
      ? alchemyGasAndPaymasterAndDataMiddleware({ ...payment, transport })
      : {
          ...erc7677Middleware({ context: mode === 'token' ? { token: token.address } : {} }),
          feeEstimator: async (operation) => ({ ...operation, ...(await world.fees()) }),
        }),
  });
  async function send(calls, overrides) {
    const uo = calls.map(({ to, data, value }) => ({ target: to, data, value }));
    return (await client.sendUserOperation({ uo: uo.length === 1 ? uo[0] : uo, overrides })).hash;
  }
  return { sender: account.address, send };
});
