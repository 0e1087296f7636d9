import { readFileSync } from 'node:fs';
import Ajv, { type ErrorObject } from 'ajv';
import { ENTRY_POINT_VERSIONS, normalizeAddress, type EntryPointVersion } from '@paymaster/domain';
import type { ChainBounds, ChainConfig, EntryPointConfig } from './chain-config';

const gas = { type: 'string', pattern: '^[0-9]{1,30}$' } as const;
const address = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' } as const;
const url = { type: 'string', pattern: '^https?://[^\\s]+$' } as const;
const entryPoint = {
  type: 'object',
  required: ['entryPoint', 'paymaster'],
  additionalProperties: false,
  properties: { entryPoint: address, paymaster: address },
} as const;

/** Defaults of `bounds`; a chain overrides what differs. Amounts are decimal strings: gas or wei. */
const DEFAULT_BOUNDS = {
  maxCallGasLimit: '5000000',
  maxVerificationGasLimit: '2000000',
  maxPreVerificationGasPercent: '150',
  maxFeePercentOfBaseFee: '500',
  feeFloorWei: '100000000',
  maxPriorityFeePerGasWei: '100000000000',
  defaultMaxOperationCostWei: '50000000000000000',
  tokenExposureCapWei: '50000000000000000',
  tokenSenderExposureCapWei: '10000000000000000',
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
        required: ['chainId', 'name', 'rpcUrls', 'bundlerUrl', 'entryPoints'],
        additionalProperties: false,
        properties: {
          chainId: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          name: { type: 'string', minLength: 1, maxLength: 100 },
          nativeSymbol: { type: 'string', minLength: 1, maxLength: 12, default: 'ETH' },
          rpcUrls: { type: 'array', minItems: 1, items: url },
          bundlerUrl: url,
          entryPoints: {
            type: 'object',
            minProperties: 1,
            additionalProperties: false,
            properties: Object.fromEntries(ENTRY_POINT_VERSIONS.map((version) => [version, entryPoint])),
          },
          blockTimeSeconds: { type: 'number', exclusiveMinimum: 0, maximum: 600, default: 12 },
          maxHeadAgeSeconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 120 },
          feeMarkupMillionths: { type: 'integer', minimum: 1_000_000, maximum: 2_000_000, default: 1_000_000 },
          bounds: {
            type: 'object',
            additionalProperties: false,
            default: {},
            properties: Object.fromEntries(
              Object.entries(DEFAULT_BOUNDS).map(([name, value]) => [name, { ...gas, default: value }]),
            ),
          },
        },
      },
    },
  },
};

/** `chains.json` is missing, unreadable or wrong; the message names the file and the field. */
export class ChainsFileError extends Error {
  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.name = 'ChainsFileError';
  }
}

const validate = new Ajv({ useDefaults: true, allErrors: false }).compile<RawChainsFile>(schema);

/** The file as JSON has it; amounts are decimal strings. */
interface RawChainsFile {
  chains: Array<{
    chainId: number;
    name: string;
    nativeSymbol: string;
    rpcUrls: string[];
    bundlerUrl: string;
    entryPoints: Partial<Record<EntryPointVersion, { entryPoint: string; paymaster: string }>>;
    blockTimeSeconds: number;
    maxHeadAgeSeconds: number;
    feeMarkupMillionths: number;
    bounds: Record<keyof ChainBounds, string>;
  }>;
}

/**
 * Reads and checks the operator's `chains.json`.
 *
 * @param path file path; relative ones are taken from the working directory
 * @returns the chains, addresses in lower case, amounts as bigint
 * @throws {ChainsFileError} naming the file and the field
 */
export function loadChainsFile(path: string): readonly ChainConfig[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ChainsFileError(path, 'cannot be read', { cause });
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (cause) {
    throw new ChainsFileError(path, 'is not JSON', { cause });
  }
  return parseChains(raw, path);
}

/** The same for a value already parsed; `path` only names it in errors. */
export function parseChains(raw: unknown, path = 'chains.json'): readonly ChainConfig[] {
  if (!validate(raw)) throw new ChainsFileError(path, describe(validate.errors?.[0]));
  const ids = raw.chains.map((chain) => chain.chainId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new ChainsFileError(path, `chain ${twice} is listed twice`);
  return raw.chains.map((chain) => ({
    ...chain,
    feeMarkupMillionths: BigInt(chain.feeMarkupMillionths),
    entryPoints: Object.fromEntries(
      Object.entries(chain.entryPoints).map(([version, { entryPoint, paymaster }]) => [
        version,
        { entryPoint: normalizeAddress(entryPoint), paymaster: normalizeAddress(paymaster) } satisfies EntryPointConfig,
      ]),
    ),
    bounds: Object.fromEntries(
      Object.entries(chain.bounds).map(([name, value]) => [name, BigInt(value)]),
    ) as unknown as ChainBounds,
    pricing: null,
    tokens: [],
  }));
}

function describe(error: ErrorObject | undefined): string {
  if (!error) return 'is not valid';
  const field = error.instancePath.slice(1).replaceAll('/', '.') || 'the file';
  const extra = 'additionalProperty' in error.params ? ` (${String(error.params['additionalProperty'])})` : '';
  return `${field} ${error.message ?? 'is not valid'}${extra}`;
}
