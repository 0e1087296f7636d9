import { ENTRY_POINT_VERSIONS, type EntryPointVersion, type SentPrice } from '@paymaster/domain';
import {
  BUNDLER_KINDS,
  GAS_ESTIMATES,
  ROLLUP_KINDS,
  type BundlerKind,
  type ChainBounds,
  type ChainFinality,
  type GasEstimates,
  type KnownAccountsConfig,
  type RollupKind,
} from './chain-config';
import { TOKEN_GAS_PERCENT } from '../paymaster-data/token-fields';
import { fileValidator } from './file-validator';
import { ADDRESS, AMOUNT, PERCENT, PRICE } from './schema-parts';

const url = { type: 'string', pattern: '^https?://[^\\s]+$' } as const;
/** The page makes links of it, so it may be nothing but an origin. */
const origin = { type: 'string', pattern: '^https?://[a-z0-9.-]+(:[0-9]+)?$', maxLength: 200 } as const;
const entryPoint = {
  type: 'object',
  required: ['entryPoint', 'paymaster'],
  additionalProperties: false,
  properties: {
    ...{ entryPoint: ADDRESS, paymaster: ADDRESS, nextPaymaster: ADDRESS },
    drainingPaymasters: { type: 'array', maxItems: 10, items: ADDRESS, default: [] },
    tokenGasPercent: {
      type: 'integer',
      minimum: TOKEN_GAS_PERCENT.least,
      maximum: TOKEN_GAS_PERCENT.most,
      multipleOf: TOKEN_GAS_PERCENT.step,
    },
  },
} as const;

/** Defaults of `bounds`; a chain overrides what differs. Amounts are decimal strings: gas or wei. */
const DEFAULT_BOUNDS = {
  maxCallGasLimit: '5000000',
  maxVerificationGasLimit: '2000000',
  maxL1GasPercent: '107',
  maxFeePercentOfBaseFee: '500',
  feeFloorWei: '0',
  maxPriorityFeePerGasWei: '1000000000000',
  defaultMaxOperationGas: '5000000',
  defaultMaxOperationCostWei: '1000000000000000000',
  tokenExposureCapWei: '50000000000000000',
  tokenSenderExposureCapWei: '10000000000000000',
} as const satisfies Record<keyof ChainBounds, string>;

/** A sequencer that just came back has to catch up with transactions; Chainlink's own example waits for an hour. */
const DEFAULT_SEQUENCER_GRACE_SECONDS = 3_600;

/** A depth of 0 would call the newest block final, which no chain does. */
const finality = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  additionalProperties: false,
  default: { tag: 'finalized' },
  properties: { tag: { const: 'finalized' }, depth: { type: 'integer', minimum: 1, maximum: 100_000 } },
} as const;

const pricing = {
  type: 'object',
  required: ['native'],
  additionalProperties: false,
  properties: {
    native: PRICE,
    sequencer: {
      type: 'object',
      required: ['feed'],
      additionalProperties: false,
      properties: {
        feed: ADDRESS,
        graceSeconds: { type: 'integer', minimum: 0, maximum: 86_400, default: DEFAULT_SEQUENCER_GRACE_SECONDS },
      },
    },
    maxAgeSeconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 120 },
    feedGraceSeconds: { type: 'integer', minimum: 0, maximum: 86_400, default: 60 },
    maxDeviationPercent: { ...PERCENT, default: '1' },
    minSources: { type: 'integer', minimum: 1, maximum: 3 },
    maxJumpPercent: { ...PERCENT, default: '20' },
  },
} as const;

/** More contracts than an operator will check, and few enough that he sees a mistake. */
const MAX_KNOWN = 100;
const addresses = { type: 'array', maxItems: MAX_KNOWN, items: ADDRESS, default: [] } as const;
const hashes = { ...addresses, items: { type: 'string', pattern: '^0x[0-9a-f]{64}$' } } as const;
const knownAccounts = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: { factories: addresses, implementations: addresses, delegates: addresses, codeHashes: hashes },
} as const;

/** More bundlers of one chain than an operator will run. */
const MAX_BUNDLERS = 8;
const bundlers = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_BUNDLERS,
  items: {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,31}$' },
      url,
      urlFile: { type: 'string', minLength: 1, maxLength: 1_000 },
      kind: { enum: BUNDLER_KINDS, default: 'other' },
      entryPoints: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: ENTRY_POINT_VERSIONS } },
      metered: { type: 'boolean', default: false },
    },
  },
} as const;

const schema = {
  type: 'object',
  required: ['chains'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    chains: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['chainId', 'name', 'rpcUrls', 'entryPoints'],
        additionalProperties: false,
        properties: {
          chainId: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          name: { type: 'string', minLength: 1, maxLength: 100 },
          nativeSymbol: { type: 'string', minLength: 1, maxLength: 12, default: 'ETH' },
          explorerUrl: origin,
          rpcUrls: { type: 'array', minItems: 1, items: url },
          bundlerUrl: url,
          bundlers,
          chainReads: { type: 'boolean', default: false },
          resendAfterBlocks: { type: 'integer', minimum: 1, maximum: 10_000 },
          gasEstimates: { enum: GAS_ESTIMATES },
          entryPoints: {
            type: 'object',
            minProperties: 1,
            additionalProperties: false,
            properties: Object.fromEntries(ENTRY_POINT_VERSIONS.map((version) => [version, entryPoint])),
          },
          rollup: { enum: ROLLUP_KINDS, default: 'none' },
          testnet: { type: 'boolean', default: false },
          blockTimeSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 600, default: 12 },
          maxHeadAgeSeconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 120 },
          finality,
          startBlock: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
          feeMarkupMillionths: { type: 'integer', minimum: 1_000_000, maximum: 2_000_000, default: 1_000_000 },
          bounds: {
            type: 'object',
            additionalProperties: false,
            default: {},
            properties: Object.fromEntries(
              Object.entries(DEFAULT_BOUNDS).map(([name, value]) => [name, { ...AMOUNT, default: value }]),
            ),
          },
          pricing,
          tokenList: { type: 'string', minLength: 1, maxLength: 1_000 },
          knownAccounts,
        },
      },
    },
  },
};

/** One chain as JSON has it, defaults filled in; amounts are decimal strings. */
export interface RawChain {
  chainId: number;
  name: string;
  nativeSymbol: string;
  explorerUrl?: string;
  rpcUrls: string[];
  bundlerUrl?: string;
  bundlers?: RawBundler[];
  chainReads: boolean;
  resendAfterBlocks?: number;
  gasEstimates?: GasEstimates;
  entryPoints: Partial<Record<EntryPointVersion, RawEntryPoint>>;
  rollup: RollupKind;
  testnet: boolean;
  blockTimeSeconds: number;
  maxHeadAgeSeconds: number;
  finality: ChainFinality;
  startBlock: number;
  feeMarkupMillionths: number;
  bounds: Record<keyof ChainBounds, string>;
  pricing?: RawPricing;
  /** Path of a token list, relative to the file. */
  tokenList?: string;
  knownAccounts: Record<keyof KnownAccountsConfig, string[]>;
}

export interface RawBundler {
  name: string;
  url?: string;
  /** Path of a file with the URL, relative to chains.json: URLs of rented bundlers hold a key. */
  urlFile?: string;
  kind: BundlerKind;
  entryPoints?: EntryPointVersion[];
  metered: boolean;
}

export interface RawEntryPoint {
  entryPoint: string;
  paymaster: string;
  nextPaymaster?: string;
  drainingPaymasters: string[];
  tokenGasPercent?: number;
}

export interface RawPricing {
  native: SentPrice;
  sequencer?: { feed: string; graceSeconds: number };
  maxAgeSeconds: number;
  feedGraceSeconds: number;
  maxDeviationPercent: string;
  minSources?: number;
  maxJumpPercent: string;
}

/** Checks the form of `chains.json` and fills in defaults. Rules between fields are checked after it. */
export const isRawChainsFile = fileValidator<{ chains: RawChain[] }>(schema);
