// permissionless 0.1, of before viem had smart accounts, as its documentation writes it.
import { createSmartAccountClient } from 'permissionless-0.1';
import { signerToSafeSmartAccount, signerToSimpleSmartAccount } from 'permissionless-0.1/accounts';
import { createPimlicoPaymasterClient } from 'permissionless-0.1/clients/pimlico';
import { deepHexlify } from 'permissionless-0.1/utils';
import { getAddress, http } from 'viem';
import { drive } from './lib/drive.mjs';

const SIMPLE_FACTORIES = {
  0.6: '0x9406Cc6185a346906296840746125a0E44976454',
  0.7: '0x91E60e0613810449d098b0b5Ec8b51A0FE8c8985',
};
const ACCOUNTS = {
  SimpleAccount: (client, { version, ...common }) =>
    signerToSimpleSmartAccount(client, { ...common, factoryAddress: SIMPLE_FACTORIES[version] }),
  'Safe 1.4.1': (client, { signer, entryPoint }) =>
    signerToSafeSmartAccount(client, { signer, entryPoint, safeVersion: '1.4.1' }),
};

/**
 * The client reads an account's address by code that returns it, which a node takes for a contract. EIP-3541 lets none
 * begin with 0xef, as one address in 256 does: another owner has another address.
 */
async function accountOf(make, world) {
  try {
    return await make(world.newOwner());
  } catch (error) {
    if (!String(error).includes('CreateContractStartingWithEF')) throw error;
    return accountOf(make, world);
  }
}

await drive(async ({ account: name, version, mode, paymasterUrl }, world) => {
  const { chain, publicClient, stack, token } = world;
  // The client knows an EntryPoint by the letters of its address.
  const entryPoint = getAddress(stack.entryPoints[version]);
  const account = await accountOf((signer) => ACCOUNTS[name](publicClient, { signer, entryPoint, version }), world);
  const paymaster = createPimlicoPaymasterClient({ chain, transport: http(paymasterUrl), entryPoint });
  /** The client can't name a token, so the app asks by the same method. */
  async function payInToken({ userOperation }) {
    const params = [deepHexlify(userOperation), entryPoint, { token: token.address }];
    const answer = await paymaster.request({ method: 'pm_sponsorUserOperation', params });
    const isText = ([name]) => ['paymasterAndData', 'paymaster', 'paymasterData'].includes(name);
    return Object.fromEntries(Object.entries(answer).map((each) => (isText(each) ? each : [each[0], BigInt(each[1])])));
  }
  const client = createSmartAccountClient({
    ...{ account, entryPoint, chain, bundlerTransport: http(stack.bundler) },
    middleware: {
      gasPrice: () => world.fees(),
      sponsorUserOperation: mode === 'token' ? payInToken : (args) => paymaster.sponsorUserOperation(args),
    },
  });
  return {
    sender: account.address,
    async send(calls, limits) {
      const callData = await account.encodeCallData(calls.length === 1 ? calls[0] : calls);
      return client.sendUserOperation({ userOperation: { callData, ...limits } });
    },
  };
});
