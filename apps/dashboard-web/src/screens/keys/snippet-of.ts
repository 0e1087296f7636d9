import {
  encodeFunctionData,
  numberToHex,
  parseAbi,
  parseAbiItem,
  type AbiFunction,
  type AbiParameter,
  type Hex,
} from 'viem';

export const SDKS = [
  { value: 'viem', label: 'viem' },
  { value: 'permissionless', label: 'permissionless' },
  { value: 'biconomy', label: 'Biconomy' },
  { value: 'curl', label: 'JSON-RPC' },
] as const;
export type Sdk = (typeof SDKS)[number]['value'];

/** What the snippets were tried with; npm gets exactly these. */
export const PACKAGES = { viem: '2.57.20', permissionless: '0.4.1', '@biconomy/account': '4.6.3' } as const;

/** Where permissionless looks for the factory of a SimpleAccount, by the EntryPoint of the account. */
export const FACTORIES = {
  '0.6': '0x9406Cc6185a346906296840746125a0E44976454',
  '0.7': '0x91E60e0613810449d098b0b5Ec8b51A0FE8c8985',
  '0.8': '0x13E9ed32155810FDbd067D4522C492D6f68E5944',
} as const;
type Version = keyof typeof FACTORIES;

/** The EntryPoints for which an SDK's code makes an account, the most usual first. */
export function versionsOf(sdk: Sdk): readonly string[] {
  return sdk === 'biconomy' ? ['0.6'] : ['0.7', '0.8', '0.6'];
}

export interface Place {
  readonly gateway: string;
  readonly apiKey: string;
  readonly chain: {
    readonly chainId: number;
    readonly name: string;
    readonly nativeSymbol: string;
    /** The gateway answers reads of the chain too. */
    readonly chainReads: boolean;
  };
  /** One of `versionsOf(sdk)`. */
  readonly entryPoint: { readonly address: string; readonly version: string };
  readonly call: SnippetCall;
}

export interface SnippetCall {
  readonly to: string;
  /** `mint(address,uint256)` */
  readonly signature: string;
}

/** On chains for trying: a contract whose method everybody may call. */
export const DEMO_CALLS: Readonly<Record<number, SnippetCall>> = {
  31337: { to: '0xe5e32F73E33749CE4822958585a82AEfdEF54fc1', signature: 'increment()' },
};

/**
 * A whole script that has an account of nobody call a method, and this paymaster pay. One URL is paymaster, bundler and,
 * where it answers reads, node. Biconomy's SDK wants v2 in the URL, and no `_`, for which a dot may stand. Older viem
 * reads the codes of errors only from the other address.
 *
 * @returns JavaScript for Node; for `curl` lines of a POSIX shell, which ask for a grant and send nothing
 */
export function snippetOf(sdk: Sdk, place: Place): string {
  const { gateway, apiKey, chain } = place;
  if (sdk !== 'biconomy') return SNIPPETS[sdk](`${gateway}/api/v1/${chain.chainId}/${apiKey}`, place);
  return SNIPPETS[sdk](`${gateway}/api/v2/${chain.chainId}/${apiKey.replaceAll('_', '.')}`, place);
}

const SNIPPETS: Readonly<Record<Sdk, (url: string, place: Place) => string>> = {
  viem: (url, place) => `${howToRun('viem', 'permissionless')}
import { toSimpleSmartAccount } from 'permissionless/accounts';
import { ${ofViem(place, 'createPublicClient', 'http', 'parseAbi')} } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';${allChains(place)}

${chainAndClient(url, place)}
${simpleAccount(place)}
const bundler = createBundlerClient({
  account,
  client,
  transport: http(gateway),
  paymaster: createPaymasterClient({ transport: http(gateway) }),
});

const hash = await bundler.sendUserOperation({
  calls: [${callOf(place, 'account.address')}],
});
const { success, receipt } = await bundler.waitForUserOperationReceipt({ hash });
console.log(success ? 'landed in' : 'landed, but its call failed, in', receipt.transactionHash);
`,
  permissionless: (url, place) => `${howToRun('permissionless', 'viem')}
import { createSmartAccountClient } from 'permissionless';
import { toSimpleSmartAccount } from 'permissionless/accounts';
import { ${ofViem(place, 'createPublicClient', 'encodeFunctionData', 'http', 'parseAbi')} } from 'viem';
import { createPaymasterClient } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';${allChains(place)}

${chainAndClient(url, place)}
${simpleAccount(place)}
const smartAccount = createSmartAccountClient({
  account,
  chain,
  client,
  bundlerTransport: http(gateway),
  paymaster: createPaymasterClient({ transport: http(gateway) }),
});

${dataOf(place, 'account.address')}
const transactionHash = await smartAccount.sendTransaction({ to: '${place.call.to}', data });
console.log('landed in', transactionHash);
`,
  biconomy: (url, place) => `${howToRun('@biconomy/account', 'viem')}
import { createSmartAccountClient, PaymasterMode } from '@biconomy/account';
import { ${ofViem(place, 'createWalletClient', 'encodeFunctionData', 'http', 'parseAbi')} } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';${allChains(place)}

${chainOf(url, place)}
// A new account each time. In your app, its owner signs.
const owner = privateKeyToAccount(generatePrivateKey());
const account = await createSmartAccountClient({
  signer: createWalletClient({ account: owner, chain, transport: http(chain.rpcUrls.default.http[0]) }),
  customChain: chain,
  rpcUrl: chain.rpcUrls.default.http[0],
  bundlerUrl: gateway,
  paymasterUrl: gateway,
});

${dataOf(place, 'await account.getAccountAddress()')}
const { wait } = await account.sendTransaction(
  { to: '${place.call.to}', data },
  { paymasterServiceData: { mode: PaymasterMode.SPONSORED } },
);
const { success, receipt } = await wait();
console.log(String(success) === 'true' ? 'landed in' : 'landed, but its call failed, in', receipt.transactionHash);
`,
  curl: shellSnippet,
};

function howToRun(...packages: readonly (keyof typeof PACKAGES)[]): string {
  return `// npm i ${packages.map((name) => `${name}@${PACKAGES[name]}`).join(' ')}
// Save this as first.mjs, then: node first.mjs`;
}

const ofViem = ({ chain }: Place, ...names: readonly string[]): string =>
  [...names, chain.chainReads ? 'defineChain' : 'extractChain'].sort().join(', ');

const allChains = ({ chain }: Place): string => (chain.chainReads ? '' : `\nimport * as chains from 'viem/chains';`);

/** Where the gateway answers no reads, viem names a public node of the chain. */
function chainOf(url: string, { chain: { chainId, name, nativeSymbol, chainReads } }: Place): string {
  if (!chainReads) {
    return `const gateway = '${url}';
// With a public node of this chain, where viem knows it.
const chain = extractChain({ chains: Object.values(chains), id: ${chainId} });`;
  }
  return `const gateway = '${url}';
const chain = defineChain({
  id: ${chainId},
  name: ${JSON.stringify(name)},
  nativeCurrency: { name: ${JSON.stringify(nativeSymbol)}, symbol: ${JSON.stringify(nativeSymbol)}, decimals: 18 },
  rpcUrls: { default: { http: [gateway] } },
});`;
}

const chainAndClient = (url: string, place: Place): string => `${chainOf(url, place)}
const client = createPublicClient({ chain, transport: http() });`;

const simpleAccount = ({ entryPoint: { address, version } }: Place): string => `
// A new account each time. In your app, its owner signs.
const owner = privateKeyToAccount(generatePrivateKey());
const account = await toSimpleSmartAccount({
  client,
  owner,
  entryPoint: { address: '${address}', version: '${version}' },
  address: await client.readContract({
    address: '${FACTORIES[version as Version]}', // the factory of SimpleAccount
    abi: parseAbi(['function getAddress(address owner, uint256 salt) view returns (address)']),
    functionName: 'getAddress',
    args: [owner.address, 0n],
  }),
});`;

function callOf({ call: { to, signature } }: Place, account: string): string {
  const { name, inputs } = functionOf(signature);
  const args = inputs.map((input) => exampleOf(input, account).code).join(', ');
  return `
    {
      to: '${to}',
      abi: parseAbi(['function ${signature}']),
      functionName: '${name}',${args && `\n      args: [${args}], // examples: put in your own`}
    },
  `;
}

function dataOf({ call: { signature } }: Place, account: string): string {
  const { name, inputs } = functionOf(signature);
  const args = inputs.map((input) => exampleOf(input, account).code).join(', ');
  return `const data = encodeFunctionData({
  abi: parseAbi(['function ${signature}']),
  functionName: '${name}',${args && `\n  args: [${args}], // examples: put in your own`}
});`;
}

const functionOf = (signature: string): AbiFunction =>
  parseAbiItem(`function ${signature}` as 'function f()') as AbiFunction;

/** The longest list of values that an example shows. */
const MOST_VALUES = 16;

/** Whether there are example arguments for a method: none for long arrays, and for types that SDKs cannot encode. */
export function hasExample(signature: string): boolean {
  const lengths = [...signature.matchAll(/\[(\d+)\]/g)].map(([, length]) => Number(length));
  const values = lengths.reduce((product, length) => product * Math.max(length, 1), 1);
  return values <= MOST_VALUES && !/[(,]function\b/.test(signature);
}

/** A value to begin with, as code and as viem encodes it; the account stands for every address. */
function exampleOf(
  { type, ...more }: AbiParameter,
  account: string,
): { readonly code: string; readonly value: unknown } {
  const [, element, count] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (element !== undefined) {
    const { code, value } = exampleOf({ ...more, type: element }, account);
    const times = Number(count ?? 0);
    return { code: `[${Array(times).fill(code).join(', ')}]`, value: Array(times).fill(value) };
  }
  if (type === 'tuple') {
    const parts = (more as { components: readonly AbiParameter[] }).components.map((part) => exampleOf(part, account));
    return { code: `[${parts.map(({ code }) => code).join(', ')}]`, value: parts.map(({ value }) => value) };
  }
  if (type === 'address') return { code: account, value: ACCOUNT };
  if (type === 'bool') return { code: 'true', value: true };
  if (type === 'string') return { code: `'hello'`, value: 'hello' };
  const bytes = /^bytes(\d*)$/.exec(type);
  if (bytes) return { code: `'0x${'00'.repeat(Number(bytes[1]))}'`, value: `0x${'00'.repeat(Number(bytes[1]))}` };
  // viem takes numbers up to 48 bits, and bigints above.
  const isSmall = Number(/\d+/.exec(type)?.[0] ?? 256) <= 48;
  return isSmall ? { code: '1', value: 1 } : { code: '1n', value: 1n };
}

/** Stand for what the shell puts in: the account, and its owner. */
const ACCOUNT: Hex = '0xaccaccaccaccaccaccaccaccaccaccaccaccacca';
const OWNER: Hex = '0xabcabcabcabcabcabcabcabcabcabcabcabcabca';
/** Call data of a method, with a value to begin with for each argument; `account` in the place of every address. */
export function exampleData(signature: string, account: Hex): Hex {
  const { name, inputs } = functionOf(signature);
  const args = inputs.map((input) => exampleOf(input, '').value);
  const data = encodeFunctionData({ abi: [functionOf(signature)], functionName: name, args });
  return data.replaceAll(ACCOUNT.slice(2), account.slice(2).toLowerCase()) as Hex;
}

/** Has the form of a signature; only the account's owner could make a real one. */
export const NO_SIGNATURE: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;
const ACCOUNT_ABI = parseAbi([
  'function createAccount(address,uint256)',
  'function getAddress(address,uint256)',
  'function execute(address,uint256,bytes)',
]);

function shellSnippet(
  url: string,
  { chain, entryPoint: { address, version }, call: { to, signature } }: Place,
): string {
  const data = exampleData(signature, ACCOUNT);
  const encoded = (functionName: 'createAccount' | 'getAddress' | 'execute', values: readonly unknown[]) =>
    encodeFunctionData({ abi: ACCOUNT_ABI, functionName, args: values as never })
      .replaceAll(OWNER.slice(2), `'$OWNER'`)
      .replaceAll(ACCOUNT.slice(2), `'$ACCOUNT'`);
  const factory = FACTORIES[version as Version];
  const create = encoded('createAccount', [OWNER, 0n]);
  const deployment =
    version === '0.6'
      ? `"initCode":"${factory}${create.slice(2)}"`
      : `"factory":"${factory}","factoryData":"${create}"`;
  return `# Asks for a grant for a new account. It sends nothing: your SDK signs and sends.
GATEWAY='${url}'
${chain.chainReads ? 'NODE=$GATEWAY' : 'NODE=${NODE:?Set NODE to the address of a node of this chain}'}
ask() {
  curl -sS "$1" -H 'content-type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"'"$2"'","params":['"$3"']}'
}
field() { sed -n 's/.*"'"$1"'":"\\([^"]*\\)".*/\\1/p'; }

# A random owner, the address of its account, and the fees of now.
OWNER=$(od -An -N20 -tx1 /dev/urandom | tr -d ' \\n')
ACCOUNT=$(ask "$NODE" eth_call '{"to":"${factory}","data":"${encoded('getAddress', [OWNER, 0n])}"},"latest"' |
  field result | cut -c27-66)
FEES=$(ask "$GATEWAY" pimlico_getUserOperationGasPrice)

# The account calls ${signature} of ${to}.
ask "$GATEWAY" pm_getPaymasterData '{"sender":"0x'$ACCOUNT'","nonce":"0x0",
  ${deployment},
  "callData":"${encoded('execute', [to, 0n, data])}",
  "maxFeePerGas":"'$(echo "$FEES" | field maxFeePerGas)'",
  "maxPriorityFeePerGas":"'$(echo "$FEES" | field maxPriorityFeePerGas)'",
  "signature":"${NO_SIGNATURE}"},
  "${address}", "${numberToHex(chain.chainId)}", {"calculateGasLimits":true}'
`;
}
