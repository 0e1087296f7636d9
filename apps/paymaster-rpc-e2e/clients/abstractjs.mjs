// @biconomy/abstractjs with its clients of bundler and paymaster, as its documentation writes them.
import {
  createBicoPaymasterClient,
  createSmartAccountClient,
  getMEEVersion,
  MEEVersion,
  toBiconomyTokenPaymasterContext,
  toNexusAccount,
} from '@biconomy/abstractjs';
import { http } from 'viem';
import { drive } from './lib/drive.mjs';

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chain, stack, token } = world;
  const account = await toNexusAccount({
    signer: world.newOwner(),
    chainConfiguration: { chain, transport: http(stack.chainRpc), version: getMEEVersion(MEEVersion.V2_1_0) },
  });
  const client = createSmartAccountClient({
    ...{ account, chain, transport: http(stack.bundler), mock: true },
    paymaster: createBicoPaymasterClient({ paymasterUrl }),
    ...(mode === 'token' && { paymasterContext: toBiconomyTokenPaymasterContext({ feeTokenAddress: token.address }) }),
    userOperation: { estimateFeesPerGas: () => world.fees() },
  });
  return { sender: account.address, send: (calls, limits) => client.sendUserOperation({ calls, ...limits }) };
});
