import { createSmartAccountClient } from 'permissionless';
import { toKernelSmartAccount, toSafeSmartAccount, toSimpleSmartAccount } from 'permissionless/accounts';
import { prepareUserOperationForErc20Paymaster } from 'permissionless/experimental/pimlico';
import { createPublicClient, custom, defineChain, zeroAddress, zeroHash, type Hex } from 'viem';
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint06Address,
  entryPoint07Address,
  toCoinbaseSmartAccount,
  toSimple7702SmartAccount,
  type SmartAccount,
} from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** What clients do with the limits beside a stub, which JSON can hand them as text only. */
const LIMITS = { callGasLimit: '0x16760', verificationGasLimit: '0x222e0', preVerificationGas: '0xbd74' };
const ADDRESS: Hex = `0x${'12'.repeat(20)}`;
const V07 = { paymaster: ADDRESS, paymasterData: '0xabcd' };
const PAYMASTER_LIMITS = { paymasterVerificationGasLimit: '0x80e8', paymasterPostOpGasLimit: '0x55f0' };

const chain = defineChain({
  ...{ id: 31337, name: 'none', rpcUrls: { default: { http: [] } } },
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
});
const BLOCK = {
  baseFeePerGas: '0x1',
  number: '0x1',
  timestamp: '0x1',
  transactions: [],
  gasLimit: '0x1',
  gasUsed: '0x0',
};
const NODE: Readonly<Record<string, unknown>> = {
  ...{ eth_chainId: '0x7a69', eth_call: zeroHash, eth_getCode: '0x', eth_getTransactionCount: '0x0' },
  ...{ eth_maxPriorityFeePerGas: '0x1', eth_getBlockByNumber: BLOCK },
};
const client = createPublicClient({ chain, transport: custom({ request: async ({ method }) => NODE[method] }) });
const owner = privateKeyToAccount(generatePrivateKey());
const v06 = { address: entryPoint06Address, version: '0.6' } as const;
const v07 = { address: entryPoint07Address, version: '0.7' } as const;
const made = { client, address: ADDRESS, owner, owners: [owner] as [typeof owner] };

const ACCOUNTS: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
  ['SimpleAccount v0.6', () => toSimpleSmartAccount({ ...made, entryPoint: v06 })],
  ['SimpleAccount v0.7', () => toSimpleSmartAccount({ ...made, entryPoint: v07 })],
  ['Coinbase Smart Wallet', () => toCoinbaseSmartAccount({ ...made, version: '1.1' })],
  ['Simple7702Account', () => toSimple7702SmartAccount({ client, owner })],
  ['Safe', () => toSafeSmartAccount({ ...made, version: '1.4.1', entryPoint: v07 })],
  ['Kernel 3.1', () => toKernelSmartAccount({ ...made, version: '0.3.1', entryPoint: v07 })],
];

async function clientsOf(make: () => Promise<unknown>) {
  const account = (await make()) as SmartAccount;
  const data = account.entryPoint.version === '0.6' ? { paymasterAndData: ADDRESS } : { ...V07, ...PAYMASTER_LIMITS };
  const asked: string[] = [];
  const sent: Array<Record<string, unknown>> = [];
  const paymaster = createPaymasterClient({
    transport: custom({
      request: async ({ method }) => {
        asked.push(method);
        return method === 'pm_getPaymasterStubData' ? { ...data, ...LIMITS } : data;
      },
    }),
  });
  const bundler = custom({
    request: async ({ method, params }) => {
      if (method === 'eth_chainId') return '0x7a69';
      asked.push(method);
      if (method === 'eth_sendUserOperation') sent.push(params[0]);
      return zeroHash;
    },
  });
  return { account, asked, sent, paymaster, bundler };
}

describe('the limits beside a stub', () => {
  const calls = [{ to: zeroAddress, data: '0x12345678', value: 0n }] as const;

  it.each(ACCOUNTS)('are taken by viem and permissionless for a %s: neither asks a bundler', async (_account, make) => {
    const { account, asked, sent, paymaster, bundler } = await clientsOf(make);
    const viem = createBundlerClient({ account, client, chain, transport: bundler, paymaster });
    await viem.sendUserOperation({ calls });
    const permissionless = createSmartAccountClient({ account, client, chain, bundlerTransport: bundler, paymaster });
    await permissionless.sendUserOperation({ calls });
    const methods = ['pm_getPaymasterStubData', 'pm_getPaymasterData', 'eth_sendUserOperation'];
    expect(asked).toEqual([...methods, ...methods]);
    for (const operation of sent) expect(operation).toMatchObject(LIMITS);
  });

  it("fail in permissionless' helper for payments in a token, which adds them up", async () => {
    const { account, paymaster, bundler } = await clientsOf(() => toSimpleSmartAccount({ ...made, entryPoint: v07 }));
    const quote = { ...{ paymaster: ADDRESS, token: ADDRESS, postOpGas: '0x1', exchangeRate: '0x1' } };
    const quoting = custom({ request: async () => ({ quotes: [{ ...quote, exchangeRateNativeToUsd: '0x1' }] }) });
    const pimlico = createPublicClient({ chain, transport: quoting });
    const paying = createSmartAccountClient({
      ...{ account, client, chain, bundlerTransport: bundler, paymaster, paymasterContext: { token: ADDRESS } },
      userOperation: { prepareUserOperation: prepareUserOperationForErc20Paymaster(pimlico as never) as never },
    });
    // So the gateway leaves them out where the batch approves as this helper does (`approvesMost`).
    await expect(paying.sendUserOperation({ calls })).rejects.toThrow(/BigInt/);
  });
});
