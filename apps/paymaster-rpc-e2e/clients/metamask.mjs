// @metamask/smart-accounts-kit with viem's clients, as its documentation writes them.
import { getSmartAccountsEnvironment, Implementation, toMetaMaskSmartAccount } from '@metamask/smart-accounts-kit';
import { http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { sepolia } from 'viem/chains';
import { drive } from './lib/drive.mjs';

/** The kit knows public chains only; its contracts have the same addresses on all of them. */
const environment = getSmartAccountsEnvironment(sepolia.id);

const ACCOUNTS = {
  'hybrid DeleGator': (client, owner) =>
    toMetaMaskSmartAccount({
      ...{ client, environment, implementation: Implementation.Hybrid, signer: { account: owner } },
      ...{ deployParams: [owner.address, [], [], []], deploySalt: '0x' },
    }),
  'stateless DeleGator, by EIP-7702': (client, owner) =>
    toMetaMaskSmartAccount({
      ...{ client, environment, implementation: Implementation.Stateless7702, signer: { account: owner } },
      address: owner.address,
    }),
};

await drive(async ({ account: name, mode, paymasterUrl }, world) => {
  const owner = world.newOwner();
  const isDelegated = name.includes('EIP-7702');
  if (isDelegated) await world.delegate(owner, environment.implementations.EIP7702StatelessDeleGatorImpl);
  const account = await ACCOUNTS[name](world.publicClient, owner);
  const client = createBundlerClient({
    account,
    client: world.publicClient,
    transport: http(world.stack.bundler),
    paymaster: createPaymasterClient({ transport: http(paymasterUrl) }),
    ...(mode === 'token' && { paymasterContext: { token: world.token.address } }),
  });
  return { sender: account.address, send: (calls, limits) => client.sendUserOperation({ calls, ...limits }) };
});
