import { parseChains } from '@paymaster/chain';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_PAYMASTER_SETTINGS,
  ENTRY_POINT_VERSIONS,
  type Address,
  type EntryPointVersion,
  type Hex,
  type PaymasterSettings,
  type PolicySnapshot,
} from '@paymaster/domain';
import { policySnapshotBuilder, tokenListingBuilder } from '@paymaster/domain/testing';
import { compilePolicy } from '@paymaster/policy';
import { NO_SPAN } from '@paymaster/tracing';
import { NO_DEADLINE } from '@paymaster/turns';
import { encodeFunctionData, parseAbi } from 'viem';
import type { Caller } from '../../callers/caller';
import { executeCall } from '../rpc-call';

/** The world of the document's examples: the same values every time, so that nothing but the product changes them. */
const address = (byte: string): Address => `0x${byte.repeat(20)}`;

export const CHAIN_ID = 11_155_111;
export const NOW_SECONDS = 1_800_000_000;
const GWEI = 10n ** 9n;
export const SENDER = address('5e');
export const CONTRACT = address('c0');
export const STRANGER = address('ba');
export const FUNDING_WALLET = address('f0');
export const REQUEST_ID = '0b9f1c6e-3f57-4f0a-9a43-6d1f0c2e8a11';

/** A token of 6 decimals at one dollar; the native coin costs 3,000 dollars. */
export const TOKEN = tokenListingBuilder()
  .with('address', address('70'))
  .with('symbol', 'USDx')
  .with('logoUrl', 'https://dapp.example/usdx.svg')
  .build();
export const RATE = { exchangeRate: 3_000_000_000n, tokenUsdE36: 10n ** 36n, nativeUsdE36: 3_000n * 10n ** 36n };

export const MINT: Hex = encodeFunctionData({
  abi: parseAbi(['function mint(address to, uint256 amount)']),
  args: [SENDER, 11n],
});
export const MINT_CALL = executeCall({ to: CONTRACT, data: MINT });

const paymasters: Readonly<Record<EntryPointVersion, Address>> = {
  ...{ '0.6': address('a6'), '0.7': address('a7'), '0.8': address('a8'), '0.9': address('a9') },
};

const TURNS = { takeWhenFree: () => undefined, leave: () => undefined };
/** What the chain's node answers. */
const READS: Readonly<Record<string, unknown>> = {
  ...{ eth_blockNumber: '0x7a1200', eth_gasPrice: '0x3b9aca00', eth_maxPriorityFeePerGas: '0x3b9aca00' },
  ...{
    net_version: String(CHAIN_ID),
    eth_call: `0x${'0'.repeat(64)}`,
    eth_estimateGas: '0x5208',
    eth_getCode: '0x',
    eth_getBalance: '0x0',
  },
  ...{ eth_getTransactionCount: '0x1', eth_getBlockByNumber: { number: '0x7a1200', baseFeePerGas: '0x37e11d600' } },
  eth_feeHistory: { oldestBlock: '0x7a1200', baseFeePerGas: ['0x37e11d600', '0x37e11d600'], gasUsedRatio: [0.5] },
  eth_getLogs: [],
};

/** A paymaster that sponsors `mint` of one contract and takes one token. */
export function exampleCaller(settings: Partial<PaymasterSettings> = {}, changes: Partial<PolicySnapshot> = {}) {
  const snapshot: PolicySnapshot = {
    ...policySnapshotBuilder()
      .with('paymasterId', '6a7c1f0e-58f3-4be2-8a7b-2d8f4d1c9e33')
      .with('name', 'Example')
      .with('chainId', CHAIN_ID)
      .with('fundingWallet', FUNDING_WALLET)
      .with('contracts', [{ address: CONTRACT, selectors: [MINT.slice(0, 10) as Hex] }])
      .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, ...settings })
      .build(),
    ...changes,
  };
  const entryPoints = Object.fromEntries(
    ENTRY_POINT_VERSIONS.map((version) => [
      version,
      { entryPoint: CANONICAL_ENTRY_POINTS[version], paymaster: paymasters[version] },
    ]),
  );
  const { bounds } = parseChains({
    chains: [{ chainId: CHAIN_ID, name: 'Sepolia', rpcUrls: ['http://127.0.0.1:1'], entryPoints }],
  })[0]!;
  const config = {
    chainReads: true,
    ...{ chainId: CHAIN_ID, name: 'Sepolia', entryPoints, feeMarkupMillionths: 1_050_000n, tokens: [TOKEN], bounds },
  };
  const prices = { rateOf: () => RATE, nativeUsdE36: () => RATE.nativeUsdE36, watch: () => undefined };
  const fees = {
    suggestedPriorityFeePerGasWei: () => GWEI,
    maxPriorityFeePerGasWei: () => 2n * GWEI,
    marketTipWei: () => GWEI,
  };
  const head = { nowSeconds: () => NOW_SECONDS, baseFeePerGasWei: () => 15n * GWEI };
  return {
    requestId: REQUEST_ID,
    chain: {
      ...{ config, tokens: { prices }, head, fees, funding: { uncountedWei: () => Promise.resolve(GWEI) } },
      bundlers: { of: () => [{}] },
      reads: {
        ask: async (method: string, _params: unknown, parse: (value: unknown) => unknown) => parse(READS[method]),
      },
      sends: TURNS,
      readTurns: TURNS,
    },
    paymaster: { snapshot, policy: compilePolicy(snapshot) },
    clientAddress: '203.0.113.1',
    strangerNetwork: 'n',
    deadlineMs: NO_DEADLINE,
    span: NO_SPAN,
  } as unknown as Caller;
}
