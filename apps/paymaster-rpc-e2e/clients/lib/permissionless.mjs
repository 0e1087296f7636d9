import { http } from 'viem';
import { drive } from './drive.mjs';

/**
 * permissionless with its Pimlico client, as 0.2 and later have it.
 *
 * @param accounts by name: what makes an account of owners, with a client of the chain and an EntryPoint
 */
export const drivePermissionless = ({ createSmartAccountClient, createPimlicoClient, accounts }) =>
  drive(async ({ account: name, version, mode, paymasterUrl }, world) => {
    const entryPoint = { address: world.stack.entryPoints[version], version };
    const owners = Array.from({ length: name.includes('five owners') ? 5 : 1 }, world.newOwner);
    const account = await accounts[name]({ client: world.publicClient, owners, entryPoint });
    const client = createSmartAccountClient({
      account,
      paymaster: createPimlicoClient({ transport: http(paymasterUrl), entryPoint, chain: world.chain }),
      chain: world.chain,
      client: world.publicClient,
      bundlerTransport: http(world.stack.bundler),
      ...(mode === 'token' && { paymasterContext: { token: world.token.address } }),
    });
    return { sender: account.address, send: (calls, limits) => client.sendUserOperation({ calls, ...limits }) };
  });
