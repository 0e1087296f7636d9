export const SDKS = [
  { value: 'viem', label: 'viem' },
  { value: 'permissionless', label: 'permissionless' },
  { value: 'biconomy', label: 'Biconomy' },
  { value: 'curl', label: 'JSON-RPC' },
] as const;
export type Sdk = (typeof SDKS)[number]['value'];

interface Place {
  readonly gateway: string;
  readonly chainId: number;
  readonly apiKey: string;
}

/** The lines that make an SDK ask this paymaster. */
export function snippetOf(sdk: Sdk, { gateway, chainId, apiKey }: Place): string {
  const url = `${gateway}/api/v2/${chainId}/${apiKey}`;
  return SNIPPETS[sdk](url);
}

const SNIPPETS: Readonly<Record<Sdk, (url: string) => string>> = {
  viem: (url) => `import { http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';

const paymaster = createPaymasterClient({
  transport: http('${url}'),
});
const bundler = createBundlerClient({
  account, // your smart account
  client, // your public client
  paymaster,
  transport: http('<your bundler>'),
});
await bundler.sendUserOperation({ calls: [{ to, data }] });`,
  permissionless: (url) => `import { createSmartAccountClient } from 'permissionless';
import { http } from 'viem';
import { createPaymasterClient } from 'viem/account-abstraction';

const smartAccount = createSmartAccountClient({
  account, // your smart account
  chain,
  bundlerTransport: http('<your bundler>'),
  paymaster: createPaymasterClient({
    transport: http('${url}'),
  }),
});
await smartAccount.sendTransaction({ to, data });`,
  biconomy: (url) => `import { createSmartAccountClient, PaymasterMode } from '@biconomy/account';

const smartAccount = await createSmartAccountClient({
  signer, // your signer
  bundlerUrl: '<your bundler>',
  paymasterUrl: '${url}',
});
await smartAccount.sendTransaction(
  { to, data },
  { paymasterServiceData: { mode: PaymasterMode.SPONSORED } },
);`,
  curl: (url) => `curl '${url}' \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"pm_getPaymasterData",
       "params":[ <user operation>, <entry point>, <chain id in hex>, {} ]}'`,
};
