// wagmi's sendCalls (EIP-5792) with `paymasterService`. The wallet is a Coinbase Smart Wallet of viem, which asks the
// paymaster that the app names by ERC-7677, as Coinbase's own wallet does.
import { connect, createConfig, injected, sendCalls, waitForCallsStatus } from '@wagmi/core';
import { http, numberToHex } from 'viem';
import { createBundlerClient, createPaymasterClient, toCoinbaseSmartAccount } from 'viem/account-abstraction';
import { drive } from './lib/drive.mjs';

// wagmi looks for wallets in a browser only.
globalThis.window = new EventTarget();

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chain, stack, token } = world;
  const wallet = await walletOf(world);
  const config = createConfig({
    chains: [chain],
    transports: { [chain.id]: http(stack.chainRpc) },
    connectors: [injected({ target: { id: 'wallet', name: 'Wallet', provider: wallet } })],
    storage: null,
  });
  const [connector] = config.connectors;
  await connect(config, { connector });
  const context = mode === 'token' ? { token: token.address } : {};
  async function send(calls) {
    const capabilities = { paymasterService: { url: paymasterUrl, context } };
    const { id } = await sendCalls(config, { calls, capabilities });
    const { receipts } = await waitForCallsStatus(config, { id, pollingInterval: 250, timeout: 120_000 });
    return world.operationIn(receipts[0].transactionHash, wallet.address);
  }
  return { sender: wallet.address, send };
});

/** A wallet as apps see it: EIP-1193, with the calls of EIP-5792. */
async function walletOf({ newOwner, publicClient, stack }) {
  const account = await toCoinbaseSmartAccount({ client: publicClient, owners: [newOwner()], version: '1.1' });
  const answers = {
    eth_requestAccounts: () => [account.address],
    eth_accounts: () => [account.address],
    eth_chainId: () => numberToHex(stack.chainId),
    wallet_getCapabilities: () => ({ [numberToHex(stack.chainId)]: { paymasterService: { supported: true } } }),
    async wallet_sendCalls([{ calls, capabilities }]) {
      const { url, context } = capabilities.paymasterService;
      const bundler = createBundlerClient({
        ...{ account, client: publicClient, transport: http(stack.bundler) },
        ...{ paymaster: createPaymasterClient({ transport: http(url) }), paymasterContext: context },
      });
      const id = await bundler.sendUserOperation({
        calls: calls.map(({ to, data, value = '0x0' }) => ({ to, data, value: BigInt(value) })),
      });
      return { id };
    },
    async wallet_getCallsStatus([id]) {
      const bundler = createBundlerClient({ client: publicClient, transport: http(stack.bundler) });
      const found = await bundler.getUserOperationReceipt({ hash: id }).catch(() => undefined);
      const common = { id, version: '2.0.0', chainId: numberToHex(stack.chainId), atomic: true };
      if (!found) return { ...common, status: 100 };
      const { blockHash, blockNumber, gasUsed, transactionHash } = found.receipt;
      const receipt = {
        ...{ blockHash, transactionHash, logs: [], status: found.success ? '0x1' : '0x0' },
        ...{ blockNumber: numberToHex(blockNumber), gasUsed: numberToHex(gasUsed) },
      };
      return { ...common, status: found.success ? 200 : 500, receipts: [receipt] };
    },
  };
  return {
    address: account.address,
    on: () => undefined,
    removeListener: () => undefined,
    async request({ method, params }) {
      if (answers[method]) return answers[method](params);
      throw Object.assign(new Error(`the wallet has no ${method}`), { code: 4200 });
    },
  };
}
