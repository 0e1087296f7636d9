/** Reference encoders for tests: every shape of call data, encoded by ethers. Not part of the library. */
import { AbiCoder, concat, FunctionFragment, Interface, solidityPacked, toBeHex, ZeroHash } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import type { AccountFunction } from '../accounts/account-family';
import * as families from '../accounts/families';

export interface TestCall {
  readonly to: string;
  readonly valueWei: bigint;
  readonly data: string;
}

export const MULTI_SEND: Address = '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526';
export const MODE_SINGLE = ZeroHash;
export const MODE_BATCH = `0x01${'00'.repeat(31)}`;
export const MODE_SINGLE_TRY = `0x0001${'00'.repeat(30)}`;
export const MODE_BATCH_TRY = `0x0101${'00'.repeat(30)}`;

const FUNCTIONS: ReadonlyMap<string, AccountFunction> = new Map(
  Object.values(families).flatMap(({ functions }) => functions.map((each) => [each.name, each] as const)),
);
/** Parameters by the selector that ethers makes of the signature. It would hash all signatures anew for each call. */
const PARAMETERS = new Map(
  [...FUNCTIONS.values()].map(({ signature }) => {
    const { selector, inputs } = FunctionFragment.from(`function ${signature}`);
    return [selector, inputs];
  }),
);
const safe = new Interface([
  'function multiSend(bytes)',
  'function initSafe7579(address,(address,bytes)[],(address,bytes)[],(address,bytes)[],address[],uint8)',
]);
const CALL_TUPLES = '(address,uint256,bytes)[]';

function functionOf(name: string): AccountFunction {
  const found = FUNCTIONS.get(name);
  if (!found) throw new Error(`no account family has the function ${name}`);
  return found;
}

export const selectorOf = (name: string): Hex => functionOf(name).selector;

/** The call data of one account function; arguments as ethers takes them. */
export function encodeShape(name: string, args: readonly unknown[]): Hex {
  const { selector } = functionOf(name);
  const parameters = PARAMETERS.get(selector);
  if (!parameters) throw new Error(`${name} is no function with the selector ${selector}`);
  return concat([selector, AbiCoder.defaultAbiCoder().encode(parameters, args)]) as Hex;
}

export const encodeSingle = (name: string, [call]: readonly TestCall[]): Hex =>
  encodeShape(name, [call?.to, call?.valueWei, call?.data]);

export const encodeBatch = (name: string, calls: readonly TestCall[]): Hex =>
  encodeShape(name, [calls.map(({ to }) => to), calls.map(({ valueWei }) => valueWei), calls.map(({ data }) => data)]);

export const encodeBatchWithoutValues = (calls: readonly TestCall[]): Hex =>
  encodeShape('executeBatchWithoutValues', [calls.map(({ to }) => to), calls.map(({ data }) => data)]);

export const encodeBatchWithEmptyValues = (calls: readonly TestCall[]): Hex =>
  encodeShape('executeBatch', [calls.map(({ to }) => to), [], calls.map(({ data }) => data)]);

export const encodeBatchOfTuples = (calls: readonly TestCall[]): Hex =>
  encodeShape('executeBatchOfTuples', [calls.map(({ to, valueWei, data }) => [to, valueWei, data])]);

export const encodeErc7579 = (mode: string, executionCalldata: string): Hex =>
  encodeShape('erc7579Execute', [mode, executionCalldata]);

export const packExecution = ([call]: readonly TestCall[]): string =>
  solidityPacked(['address', 'uint256', 'bytes'], [call?.to, call?.valueWei, call?.data]);

export const encodeExecutions = (calls: readonly TestCall[]): string =>
  AbiCoder.defaultAbiCoder().encode([CALL_TUPLES], [calls.map(({ to, valueWei, data }) => [to, valueWei, data])]);

export const encodeErc7579Calls = (calls: readonly TestCall[]): Hex =>
  calls.length === 1
    ? encodeErc7579(MODE_SINGLE, packExecution(calls))
    : encodeErc7579(MODE_BATCH, encodeExecutions(calls));

export const prefixExecuteUserOp = (callData: string): Hex => concat(['0x8dd7712f', callData]) as Hex;

export const packMultiSend = (calls: readonly (TestCall & { readonly operation?: number })[]): string =>
  concat(
    calls.map(({ to, valueWei, data, operation = 0 }) =>
      concat([
        toBeHex(operation, 1),
        solidityPacked(['address', 'uint256', 'uint256', 'bytes'], [to, valueWei, (data.length - 2) / 2, data]),
      ]),
    ),
  );

export const encodeMultiSend = (packed: string): string => safe.encodeFunctionData('multiSend', [packed]);

export const encodeSafe = (input: {
  to: string;
  valueWei?: bigint;
  data: string;
  operation?: number;
  name?: 'safeExecuteUserOp' | 'safeExecuteUserOpWithErrorString';
}): Hex =>
  encodeShape(input.name ?? 'safeExecuteUserOpWithErrorString', [
    input.to,
    input.valueWei ?? 0n,
    input.data,
    input.operation ?? 0,
  ]);

/** As Safe SDKs do it: one call directly, several through MultiSend. */
export const encodeSafeCalls = (calls: readonly TestCall[], multiSend: string = MULTI_SEND): Hex => {
  const [only] = calls;
  if (calls.length === 1 && only) return encodeSafe(only);
  return encodeSafe({ to: multiSend, data: encodeMultiSend(packMultiSend(calls)), operation: 1 });
};

/** What the first operation of a Safe7579 sets up; left out: as permissionless does. */
export interface Safe7579Setup {
  readonly singleton?: string;
  readonly setupTo?: string;
  readonly safe7579?: string;
  /** The adapter in the setup data. */
  readonly enabled?: string;
  readonly validators?: readonly (readonly [string, string])[];
  readonly executors?: Safe7579Setup['validators'];
  readonly fallbacks?: Safe7579Setup['validators'];
  readonly hooks?: Safe7579Setup['validators'];
  readonly attesters?: readonly string[];
  /** Of the attesters. */
  readonly attestation?: number;
  readonly owners?: readonly string[];
  /** Of the owners. */
  readonly threshold?: bigint;
  readonly setupData?: string;
  readonly callData?: string;
}

const ATTESTER = '0x000000333034e9f539ce08819e12c1b8cb29084d';
const SAFE_7579 = '0x7579ee8307284f293b1927136486880611f20002';

export const encodeInitSafe7579 = (setup: Safe7579Setup = {}): string => {
  const { executors = [], fallbacks = [], hooks = [], attesters = [ATTESTER], enabled = SAFE_7579 } = setup;
  const { attestation = attesters.length } = setup;
  return safe.encodeFunctionData('initSafe7579', [enabled, executors, fallbacks, hooks, attesters, attestation]);
};

export const encodeSetupSafe = (calls: readonly TestCall[], setup: Safe7579Setup = {}): Hex =>
  encodeShape('setupSafe', [
    [
      setup.singleton ?? '0x41675c099f32341bf84bfc5382af534df5c7461a',
      setup.owners ?? ['0x00000000000000000000000000000000c0ffee01'],
      setup.threshold ?? 1n,
      setup.setupTo ?? '0x7579011ab74c46090561ea277ba79d510c6c00ff',
      setup.setupData ?? encodeInitSafe7579(setup),
      setup.safe7579 ?? SAFE_7579,
      setup.validators ?? [],
      setup.callData ?? encodeErc7579Calls(calls),
    ],
  ]);

/**
 * The names that a reader gives to the fields of good arguments, in their order: what it misses when the data ends
 * earlier, and, with `offset of`, what it says of a word that is no offset.
 *
 * @param complain what the reader says of such data, undefined where it has nothing to say
 * @param start index of the first digit of the arguments
 */
export function fieldsOf(good: string, complain: (data: Hex) => string | undefined, start = 10): string {
  const names = new Set<string>();
  for (let at = start; at < good.length; at += 64) {
    const seven = '7'.padStart(64, '0');
    for (const changed of [good.slice(0, at), `${good.slice(0, at)}${seven}${good.slice(at + 64)}`]) {
      const said = complain(changed as Hex) ?? '';
      const [, missed, misplaced] = /^the data ends before (.*) does$|^(offset of .*) is not where/.exec(said) ?? [];
      const name = missed ?? misplaced;
      if (name !== undefined) names.add(name);
    }
  }
  return [...names].join(', ');
}
