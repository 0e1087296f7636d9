import type { EntryPointVersion } from '@paymaster/domain';
import type { Operation } from './operations';

export const MODES = ['sponsored', 'token'] as const;
export type Mode = (typeof MODES)[number];

/** A client at its pinned version with one kind of account on one EntryPoint: a row of docs/clients.md, and its tests. */
export interface ClientRow {
  readonly client: string;
  /** File of the client's folder that runs it. */
  readonly driver: string;
  /** npm package whose pinned version the row is about. */
  readonly package: string;
  readonly account: string;
  readonly version: EntryPointVersion;
  /** What an app has to set, besides its account and the bundler. */
  readonly set: string;
  /** What an app has to set besides to pay in a token. */
  readonly setForTokens: string;
  readonly code: AccountCode;
  /** Settings of the paymaster that such an account needs; the test leaves the others as a new paymaster has them. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** EIP-7702 delegates that a policy of the paymaster lists. */
  readonly delegates?: readonly string[];
  /** The client asks by its vendor's own method; its driver then does so. */
  readonly ownMethod?: true;
  /** The client names a policy of the paymaster. */
  readonly namesPolicy?: true;
  /** Why none of its operations is sponsored, by the client's own doing, and what the client shows of it. */
  readonly refused?: { readonly mode: Mode; readonly why: string; readonly shows: RegExp };
  /** Three of its accounts make all operations when everything is played, instead of one. */
  readonly isRepeated?: true;
  /** Operations that the client or the account cannot make, and why. */
  readonly cannot?: Readonly<Partial<Record<Operation, string>>>;
}

/** Where the account's contracts on the local chain are from. */
export type AccountCode = 'published' | 'stand-in';

/** What a client is, and what an app sets for every account of it. */
type Client = Pick<ClientRow, 'client' | 'driver' | 'package' | 'set' | 'setForTokens' | 'cannot'>;

const rowsOf =
  (client: Client) =>
  (account: string, version: EntryPointVersion, code: AccountCode, more: Partial<ClientRow> = {}): ClientRow => ({
    ...{ ...client, account, version, code, ...more },
  });

const permissionless = rowsOf({
  client: 'permissionless, `createPimlicoClient`',
  driver: 'permissionless.mjs',
  package: 'permissionless',
  set: '`transport: http(url)`',
  setForTokens: '`paymasterContext: { token }`',
});
const permissionless02 = rowsOf({
  client: 'permissionless 0.2, `createPimlicoClient`',
  driver: 'permissionless-0.2.mjs',
  package: 'permissionless-0.2',
  set: '`transport: http(url)`',
  setForTokens: '`paymasterContext: { token }`',
});
const permissionless01 = rowsOf({
  client: 'permissionless 0.1, `createPimlicoPaymasterClient`',
  driver: 'permissionless-0.1.mjs',
  package: 'permissionless-0.1',
  set: '`transport: http(url)`; `middleware.sponsorUserOperation`',
  setForTokens: 'a `sponsorUserOperation` of the app that calls the same method with `{ token }`',
  cannot: { limits: 'it takes those of `pm_sponsorUserOperation`' },
});
const wagmi = rowsOf({
  client: 'wagmi, `sendCalls` (EIP-5792)',
  driver: 'wagmi.mjs',
  package: '@wagmi/core',
  set: '`capabilities: { paymasterService: { url } }`',
  setForTokens: '`context: { token }` of `paymasterService`',
  cannot: { limits: 'the wallet sets them' },
});
const web3auth = rowsOf({
  client: 'web3auth, `AccountAbstractionProvider`',
  driver: 'web3auth.mjs',
  package: '@web3auth/account-abstraction-provider',
  set: '`paymasterConfig: { url }`',
  setForTokens: '`bundlerConfig: { paymasterContext: { token } }`',
});
const abstractjs = rowsOf({
  client: 'Biconomy, `createBicoPaymasterClient`',
  driver: 'abstractjs.mjs',
  package: '@biconomy/abstractjs',
  set: '`paymasterUrl: url`',
  setForTokens: '`paymasterContext: toBiconomyTokenPaymasterContext({ feeTokenAddress })`',
});
const viem = rowsOf({
  client: 'viem, `createPaymasterClient`',
  driver: 'viem.mjs',
  package: 'viem',
  set: '`transport: http(url)`',
  setForTokens: '`paymasterContext: { token }`',
});
const abstractionkit = rowsOf({
  client: 'abstractionkit, `CandidePaymaster`',
  driver: 'abstractionkit.mjs',
  package: 'abstractionkit',
  set: '`new CandidePaymaster(url)`',
  setForTokens: 'nothing',
});
const relayKit = rowsOf({
  client: "Safe's relay-kit, `Safe4337Pack`",
  driver: 'relay-kit.mjs',
  package: '@safe-global/relay-kit',
  set: '`paymasterOptions: { paymasterUrl: url, isSponsored: true }`',
  setForTokens: '`paymasterTokenAddress`, `paymasterAddress`',
  cannot: { limits: 'it takes those of the paymaster' },
});

const userop = rowsOf({
  client: 'userop, `verifyingPaymaster`',
  driver: 'userop.mjs',
  package: 'userop',
  set: '`Presets.Middleware.verifyingPaymaster(url)`',
  setForTokens: 'context `{ token }`',
  cannot: { limits: 'it takes those of the paymaster' },
});
const metamask = rowsOf({
  client: "MetaMask's smart-accounts-kit, viem's `createPaymasterClient`",
  driver: 'metamask.mjs',
  package: '@metamask/smart-accounts-kit',
  set: '`transport: http(url)`',
  setForTokens: '`paymasterContext: { token }`',
});
const zerodev = rowsOf({
  client: 'ZeroDev, `createZeroDevPaymasterClient`',
  driver: 'zerodev.mjs',
  package: '@zerodev/sdk',
  set: '`transport: http(url)`',
  setForTokens: '`paymasterContext: { token }`',
});
const zerodevOwn = rowsOf({
  client: 'ZeroDev, `sponsorUserOperation`',
  driver: 'zerodev.mjs',
  package: '@zerodev/sdk',
  set: '`transport: http(url)`; `getPaymasterData` that calls `sponsorUserOperation`',
  setForTokens: '`gasToken`',
});
const thirdweb = rowsOf({
  client: 'thirdweb, `smartWallet`',
  driver: 'thirdweb.mjs',
  package: 'thirdweb',
  set: '`overrides.paymaster`: a function that calls `pm_sponsorUserOperation`; `overrides.bundlerUrl`',
  setForTokens: 'context `{ token }` in that call',
  cannot: { limits: 'it has no way to set them' },
});
const biconomyAccount = rowsOf({
  client: 'Biconomy, `createSmartAccountClient`',
  driver: 'biconomy-account.mjs',
  package: '@biconomy/account',
  set: '`bundlerUrl: url`, `paymasterUrl: url`; `paymasterServiceData: { mode: "SPONSORED" }`',
  setForTokens: '`{ mode: "ERC20", preferredToken }` instead',
  cannot: { limits: 'it takes those of the paymaster' },
});
const biconomyAccount3 = rowsOf({
  client: 'Biconomy, `BiconomySmartAccountV2`',
  driver: 'biconomy-account-3.mjs',
  package: '@biconomy/account-3',
  set: '`new Bundler({ bundlerUrl: url })`, `new BiconomyPaymaster({ paymasterUrl: url })`; `mode: "SPONSORED"`',
  setForTokens: '`mode: "ERC20"`, `preferredToken`',
  cannot: { limits: 'it takes those of the paymaster' },
});
const biconomyPaymasterTerms = {
  client: 'Biconomy, `BiconomyPaymaster`',
  set: '`paymasterUrl: url`, `mode: "SPONSORED"`',
  setForTokens: '`mode: "ERC20"`, `preferredToken`',
};
const biconomyPaymaster = rowsOf({
  ...biconomyPaymasterTerms,
  driver: 'biconomy-paymaster.mjs',
  package: '@biconomy/paymaster',
});
const biconomyPaymaster4 = rowsOf({
  ...biconomyPaymasterTerms,
  driver: 'biconomy-paymaster-4.mjs',
  package: '@biconomy/paymaster-4',
});
const erc7677OfAlchemy = rowsOf({
  client: "Alchemy's aa-sdk, `erc7677Middleware`",
  driver: 'alchemy.mjs',
  package: '@aa-sdk/core',
  set: "`url` for the paymaster's methods (`split`)",
  setForTokens: '`context: { token }`',
});
const ownOfAlchemy = rowsOf({
  client: "Alchemy's account kit, `alchemyGasAndPaymasterAndDataMiddleware`",
  driver: 'alchemy.mjs',
  package: '@account-kit/infra',
  set: "`policyId` of a policy of the paymaster; `url` for the paymaster's methods (`split`)",
  setForTokens: '`policyToken`, without `policyId`',
});
const cometh = rowsOf({
  client: 'Cometh, `createComethPaymasterClient`',
  driver: 'cometh.mjs',
  package: '@cometh/connect-sdk-4337',
  set: '`transport: http(url)`',
  setForTokens: '`paymasterContext: { token }`',
  cannot: { limits: 'it has no way to set them' },
});
const etherspot = rowsOf({
  client: 'Etherspot, `ModularSdk`',
  driver: 'etherspot.mjs',
  package: '@etherspot/modular-sdk',
  set: '`rpcProviderUrl: url`, `GenericBundler(url)`, `paymasterDetails: { url }`; `chainReads` of the chain',
  setForTokens: '`context: { token }`',
  cannot: { limits: 'it has no way to set them' },
});
const ethers = rowsOf({
  client: 'no client, plain JSON-RPC with ethers',
  driver: 'ethers.mjs',
  package: 'ethers',
  set: '`pm_sponsorUserOperation` with `{ mode: "SPONSORED", sponsorshipInfo: { smartAccountInfo } }`; no signature',
  setForTokens: '`mode: "ERC20"`, and `tokenInfo: { feeTokenAddress }` beside; no signature',
});

/** By EIP-7702: Simple7702Account, where it is on every chain. */
const delegated = (set: string, delegate = '0xe6cae83bde06e4c305530e199d7217f42808555b') => ({
  set: `${set}; a policy that lists the delegate (\`eip7702Delegates\`)`,
  delegates: [delegate],
});

/** Where abstractionkit expects Simple7702Account of EntryPoint v0.9. npm has the code of a release candidate only. */
export const SIMPLE_7702_V09 = '0xa46cc63ebf4bd77888aa327837d20b23a63a56b5';

export const CLIENT_ROWS: readonly ClientRow[] = [
  permissionless('SimpleAccount', '0.6', 'published'),
  permissionless('SimpleAccount', '0.7', 'published'),
  permissionless('SimpleAccount', '0.8', 'published'),
  permissionless('Safe 1.4.1', '0.6', 'stand-in'),
  permissionless('Safe 1.4.1', '0.7', 'published'),
  permissionless('Safe 1.4.1 of five owners who all sign', '0.7', 'published'),
  permissionless('Safe 1.4.1 with onchainIdentifier', '0.7', 'published'),
  permissionless('Safe 1.4.1 with the ERC-7579 adapter (Safe7579)', '0.7', 'stand-in'),
  permissionless('LightAccount 2.0.0', '0.7', 'stand-in'),
  permissionless('Trust (Barz)', '0.6', 'stand-in'),
  permissionless('Kernel 2.4', '0.6', 'stand-in'),
  permissionless('Kernel 3.0', '0.7', 'stand-in'),
  permissionless('Kernel 3.1', '0.7', 'stand-in'),
  permissionless('Kernel 3.2', '0.7', 'stand-in'),
  permissionless('Kernel 3.3', '0.7', 'stand-in'),
  permissionless('Biconomy V2', '0.6', 'stand-in'),
  permissionless('Nexus', '0.7', 'stand-in'),
  permissionless('thirdweb', '0.6', 'stand-in'),
  permissionless('thirdweb', '0.7', 'stand-in'),
  permissionless('Etherspot', '0.7', 'stand-in'),
  permissionless02('SimpleAccount', '0.7', 'published'),
  permissionless02('Safe 1.4.1', '0.7', 'published'),
  permissionless02('Kernel 3.1', '0.7', 'stand-in'),
  permissionless02('Biconomy V2', '0.6', 'stand-in'),
  permissionless02('Nexus', '0.7', 'stand-in'),
  permissionless01('SimpleAccount', '0.6', 'published'),
  permissionless01('SimpleAccount', '0.7', 'published'),
  permissionless01('Safe 1.4.1', '0.7', 'published'),
  viem('Coinbase Smart Wallet 1.1', '0.6', 'stand-in'),
  viem('Coinbase Smart Wallet 1.1 with a passkey', '0.6', 'stand-in'),
  viem('Coinbase Smart Wallet 1.1 with dataSuffix', '0.6', 'stand-in'),
  viem('Solady ERC4337', '0.7', 'published'),
  viem('Simple7702Account, by EIP-7702', '0.8', 'published', delegated('`transport: http(url)`')),
  viem('Simple7702Account with dataSuffix, by EIP-7702', '0.8', 'published', delegated('`transport: http(url)`')),
  abstractionkit('Safe 1.4.1', '0.7', 'published'),
  abstractionkit('Safe 1.5.0', '0.7', 'published'),
  abstractionkit('Simple7702Account, by EIP-7702', '0.8', 'published', delegated('`new CandidePaymaster(url)`')),
  abstractionkit('Simple7702Account, by EIP-7702', '0.9', 'published', {
    ...delegated('`new CandidePaymaster(url)`', SIMPLE_7702_V09),
  }),
  relayKit('Safe 1.4.1', '0.7', 'published'),
  relayKit('Safe 1.4.1 with onchainAnalytics', '0.7', 'published'),
  zerodev('Kernel 2.4', '0.6', 'stand-in'),
  zerodev('Kernel 3.1', '0.7', 'stand-in'),
  zerodev('Kernel 3.3', '0.7', 'stand-in'),
  zerodevOwn('Kernel 2.4', '0.6', 'stand-in', { ownMethod: true }),
  zerodevOwn('Kernel 3.1', '0.7', 'stand-in', { ownMethod: true }),
  metamask('hybrid DeleGator', '0.7', 'published'),
  metamask(
    'stateless DeleGator, by EIP-7702',
    '0.7',
    'published',
    delegated('`transport: http(url)`', '0x63c0c19a282a1b52b07dd5a65b58948a07dae32b'),
  ),
  thirdweb('thirdweb', '0.6', 'stand-in'),
  thirdweb('thirdweb', '0.7', 'stand-in'),
  erc7677OfAlchemy('LightAccount 1.1.0', '0.6', 'stand-in'),
  erc7677OfAlchemy('LightAccount 2.0.0', '0.7', 'stand-in'),
  erc7677OfAlchemy('ModularAccount 2', '0.7', 'stand-in'),
  ownOfAlchemy('LightAccount 2.0.0', '0.7', 'stand-in', { ownMethod: true, namesPolicy: true }),
  cometh('Safe 1.4.1', '0.7', 'published'),
  etherspot('Etherspot', '0.7', 'stand-in'),
  userop('SimpleAccount', '0.6', 'published'),
  biconomyAccount('Biconomy V2', '0.6', 'stand-in', { isRepeated: true }),
  biconomyAccount3('Biconomy V2', '0.6', 'stand-in', { isRepeated: true }),
  abstractjs('Nexus 1.2', '0.7', 'stand-in', {
    // Its factory has the account delegate to whatever the caller names, so it is not a known one.
    set: '`paymasterUrl: url`; `allowUnknownFactories: true` of the paymaster',
    settings: { allowUnknownFactories: true },
    refused: {
      mode: 'token',
      why: 'with this viem it drops the gas limits that `pm_getPaymasterData` has signed',
      // What was signed in vain holds the exposure of the account.
      shows: /AA34|still unpaid/,
    },
  }),
  wagmi('Coinbase Smart Wallet 1.1', '0.6', 'stand-in'),
  web3auth('Safe 1.4.1', '0.7', 'published'),
  web3auth('Kernel 3.1', '0.7', 'stand-in'),
  web3auth('Biconomy V2', '0.6', 'stand-in'),
  web3auth('Nexus', '0.7', 'stand-in'),
  biconomyPaymaster('SimpleAccount', '0.6', 'published'),
  biconomyPaymaster4('SimpleAccount', '0.6', 'published'),
  ethers('SimpleAccount', '0.6', 'published'),
];
