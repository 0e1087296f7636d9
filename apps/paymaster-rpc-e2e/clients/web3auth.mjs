// web3auth's provider of smart accounts, as its documentation writes it.
import { createRequire } from 'node:module';
import { http } from 'viem';
import { drive } from './lib/drive.mjs';

const require = createRequire(import.meta.url);
const {
  AccountAbstractionProvider,
  BiconomySmartAccount,
  KernelSmartAccount,
  NexusSmartAccount,
  SafeSmartAccount,
} = require('@web3auth/account-abstraction-provider');
const { EthereumPrivateKeyProvider } = require('@web3auth/ethereum-provider');

const ACCOUNTS = {
  'Safe 1.4.1': () => new SafeSmartAccount(),
  'Kernel 3.1': (entryPoint) => new KernelSmartAccount({ entryPoint }),
  'Biconomy V2': () => new BiconomySmartAccount(),
  Nexus: () => new NexusSmartAccount(),
};

await drive(async ({ account: name, version, mode, paymasterUrl }, world) => {
  const { stack, token } = world;
  const chainConfig = {
    ...{ chainNamespace: 'eip155', chainId: `0x${stack.chainId.toString(16)}`, rpcTarget: stack.chainRpc },
    ...{ displayName: 'local', ticker: 'ETH', tickerName: 'Ether', decimals: 18, blockExplorerUrl: '', logo: '' },
  };
  const eoaProvider = new EthereumPrivateKeyProvider({ config: { chainConfig } });
  await eoaProvider.setupProvider(world.newKey().slice(2));
  const provider = await AccountAbstractionProvider.getProviderInstance({
    ...{ eoaProvider, chainConfig: { ...chainConfig, wsTarget: undefined } },
    smartAccountInit: ACCOUNTS[name]({ address: stack.entryPoints[version], version }),
    bundlerConfig: {
      transport: http(stack.bundler),
      ...(mode === 'token' && { paymasterContext: { token: token.address } }),
    },
    paymasterConfig: { url: paymasterUrl },
  });
  const { bundlerClient, smartAccount } = provider;
  async function send(calls, limits) {
    if (calls.length > 1 || limits) return bundlerClient.sendUserOperation({ calls, ...limits });
    const [{ to, data, value }] = calls;
    const params = [{ from: smartAccount.address, to, data, value: `0x${value.toString(16)}` }];
    const hash = await provider.request({ method: 'eth_sendTransaction', params });
    return world.operationIn(hash, smartAccount.address);
  }
  return { sender: smartAccount.address, send };
});
