// @zerodev/sdk with its own paymaster client, by the methods of ERC-7677 or by its vendor's own method.
import { signerToEcdsaValidator } from '@zerodev/ecdsa-validator';
import { createKernelAccount, createKernelAccountClient, createZeroDevPaymasterClient } from '@zerodev/sdk';
import { KERNEL_V2_4, KERNEL_V3_1, KERNEL_V3_3 } from '@zerodev/sdk/constants';
import { http } from 'viem';
import { drive } from './lib/drive.mjs';

const VERSIONS = { 'Kernel 2.4': KERNEL_V2_4, 'Kernel 3.1': KERNEL_V3_1, 'Kernel 3.3': KERNEL_V3_3 };

await drive(async ({ account: name, version, mode, paymasterUrl, ownMethod }, world) => {
  const { publicClient, chain, stack } = world;
  const kernelVersion = VERSIONS[name];
  const entryPoint = { address: stack.entryPoints[version], version };
  const sudo = await signerToEcdsaValidator(publicClient, { signer: world.newOwner(), entryPoint, kernelVersion });
  const account = await createKernelAccount(publicClient, { plugins: { sudo }, entryPoint, kernelVersion });
  const paymaster = createZeroDevPaymasterClient({ chain, transport: http(paymasterUrl) });
  const token = mode === 'token' ? world.token.address : undefined;
  const client = createKernelAccountClient({
    ...{ account, chain, client: publicClient, bundlerTransport: http(stack.bundler) },
    ...(ownMethod
      ? {
          paymaster: {
            getPaymasterData: (userOperation) => paymaster.sponsorUserOperation({ userOperation, gasToken: token }),
          },
        }
      : { paymaster, paymasterContext: token && { token } }),
    userOperation: { estimateFeesPerGas: () => world.fees() },
  });
  return {
    sender: account.address,
    send: async (calls, limits) => client.sendUserOperation({ callData: await account.encodeCalls(calls), ...limits }),
  };
});
