import { simpleAccount, type Call, type Stack } from '@paymaster/devnet';
import { createPublicClient, http, type Hex } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';

/** A new account whose operations the seeded paymaster sponsors; `send` answers the hash of the operation. */
export async function userOfApp(stack: Stack): Promise<{ send: (calls: readonly Call[]) => Promise<Hex> }> {
  const account = await simpleAccount(stack, { version: '0.7' });
  const gateway = `${stack.paymasterRpc}/api/v2/${stack.chainId}/${stack.paymaster.apiKey}`;
  const bundler = createBundlerClient({
    account,
    client: createPublicClient({ transport: http(stack.chainRpc) }),
    paymaster: createPaymasterClient({ transport: http(gateway) }),
    transport: http(stack.bundler),
  });
  return { send: (calls) => bundler.sendUserOperation({ calls: [...calls] }) };
}
