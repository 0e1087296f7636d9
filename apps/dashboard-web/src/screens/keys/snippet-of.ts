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

/**
 * The lines that make an SDK ask this paymaster, which is its bundler too. Biconomy's SDK wants v2 in the URL, and no
 * `_`, for which a dot may stand. Older viem reads the codes of errors only from the other address.
 */
export function snippetOf(sdk: Sdk, { gateway, chainId, apiKey }: Place): string {
  if (sdk !== 'biconomy') return SNIPPETS[sdk](`${gateway}/api/v1/${chainId}/${apiKey}`);
  return SNIPPETS[sdk](`${gateway}/api/v2/${chainId}/${apiKey.replaceAll('_', '.')}`);
}

const SNIPPETS: Readonly<Record<Sdk, (url: string) => string>> = {
  viem: (url) => `import { http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';

const transport = http('${url}');
const bundler = createBundlerClient({
  account, // your smart account
  client, // your public client
  paymaster: createPaymasterClient({ transport }),
  transport,
});
await bundler.sendUserOperation({ calls: [{ to, data }] });`,
  permissionless: (url) => `import { createSmartAccountClient } from 'permissionless';
import { http } from 'viem';
import { createPaymasterClient } from 'viem/account-abstraction';

const transport = http('${url}');
const smartAccount = createSmartAccountClient({
  account, // your smart account
  chain,
  bundlerTransport: transport,
  paymaster: createPaymasterClient({ transport }),
});
await smartAccount.sendTransaction({ to, data });`,
  biconomy: (url) => `import { createSmartAccountClient, PaymasterMode } from '@biconomy/account';

const smartAccount = await createSmartAccountClient({
  signer, // your signer
  bundlerUrl: '${url}',
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
