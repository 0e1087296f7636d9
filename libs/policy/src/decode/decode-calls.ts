import {
  byteLength,
  isHexBytes,
  type Address,
  type EntryPointVersion,
  type Hex,
  type SmartAccountInfo,
} from '@paymaster/domain';
import { KNOWN_MULTI_SEND_CONTRACTS } from '../accounts/known-safe-contracts';
import { CanonicalReader } from './canonical-reader';
import { DecodeFailure, MAX_CALL_DATA_BYTES, type DecodeResult, type InnerCall } from './decode-result';
import { readErc7579Calls } from './erc7579-calls';
import { EXECUTION_SELECTORS } from './execution-selectors';
import { readBatch, readBatchOfTuples, readBatchWithoutValues, readSingleCall } from './plain-calls';
import { readSafeCalls } from './safe-calls';

export interface DecodeCallsInput {
  readonly callData: Hex;
  readonly entryPointVersion: EntryPointVersion;
  /**
   * What the client says its account is. Only a hint, clients are known to name the wrong kind: the function
   * selector decides the shape, the hint may only narrow what is ambiguous.
   */
  readonly account?: SmartAccountInfo;
  /** Contracts a Safe may delegatecall to batch; default: the canonical ones. */
  readonly multiSendContracts?: ReadonlySet<Address>;
}

interface Shape {
  readonly name: string;
  readonly read: (reader: CanonicalReader, input: DecodeCallsInput) => InnerCall[];
}

type ShapeName = Exclude<keyof typeof EXECUTION_SELECTORS, 'erc4337ExecuteUserOp'>;

const readBatchFor = (reader: CanonicalReader, { account }: DecodeCallsInput): InnerCall[] =>
  readBatch(reader, account?.name !== 'BICONOMY');

const readStrictBatch = (reader: CanonicalReader): InnerCall[] => readBatch(reader, false);

const readSafe = (reader: CanonicalReader, { multiSendContracts }: DecodeCallsInput): InnerCall[] =>
  readSafeCalls(reader, multiSendContracts ?? KNOWN_MULTI_SEND_CONTRACTS);

const READERS: Readonly<Record<ShapeName, Shape['read']>> = {
  execute: readSingleCall,
  executeNcC: readSingleCall,
  executeCall: readSingleCall,
  executeCallS1m: readSingleCall,
  executeBatchWithoutValues: readBatchWithoutValues,
  executeBatch: readBatchFor,
  executeBatchY6U: readStrictBatch,
  executeBatchCall: readStrictBatch,
  executeBatchCall4by: readStrictBatch,
  executeBatchOfTuples: readBatchOfTuples,
  safeExecuteUserOp: readSafe,
  safeExecuteUserOpWithErrorString: readSafe,
  erc7579Execute: readErc7579Calls,
};

const SHAPES: ReadonlyMap<string, Shape> = new Map(
  (Object.keys(READERS) as ShapeName[]).map((name) => [
    EXECUTION_SELECTORS[name].slice(2),
    { name, read: READERS[name] },
  ]),
);

const EXECUTE_USER_OP = EXECUTION_SELECTORS.erc4337ExecuteUserOp.slice(2);
const SELECTOR_DIGITS = 8;

/**
 * The calls that an account makes for this call data, or why it is not understood. Total: never throws, whatever
 * the input; linear in its size.
 *
 * Only canonical encodings of known account functions are understood (README, "Shapes"). Empty call data is
 * understood as no calls: an operation that only deploys its account.
 *
 * @example
 * const decoded = decodeCalls({ callData: operation.callData, entryPointVersion: operation.entryPointVersion });
 * if (decoded.understood) decoded.calls.forEach(({ to, selector }) => …);
 */
export function decodeCalls(input: DecodeCallsInput): DecodeResult {
  try {
    return decode(input);
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    return { understood: false, failure: error.kind, detail: error.message };
  }
}

function decode(input: DecodeCallsInput): DecodeResult {
  const { callData } = input;
  if (!isHexBytes(callData)) throw new DecodeFailure('NOT_HEX', 'call data is not whole bytes of hexadecimal');
  if (callData === '0x') return { understood: true, shape: 'none', calls: [] };
  if (byteLength(callData) > MAX_CALL_DATA_BYTES) {
    throw new DecodeFailure('TOO_LARGE', `call data of more than ${MAX_CALL_DATA_BYTES} bytes`);
  }
  const digits = callData.slice(2).toLowerCase();
  if (digits.startsWith(EXECUTE_USER_OP)) return decodeExecuteUserOp(digits, input);
  const shape = SHAPES.get(digits.slice(0, SELECTOR_DIGITS));
  if (!shape) throw new DecodeFailure('UNKNOWN_SHAPE', `account function 0x${digits.slice(0, SELECTOR_DIGITS)}`);
  return {
    understood: true,
    shape: shape.name,
    calls: shape.read(new CanonicalReader(digits, SELECTOR_DIGITS), input),
  };
}

/**
 * The `executeUserOp` prefix of ERC-4337 `IAccountExecute`: EntryPoint v0.7 and later hands the whole operation to
 * the account, which then runs `callData[4:]`.
 *
 * The known account that has it (Nexus) passes `callData[4:]` to itself by delegatecall, so it is an ERC-7579
 * `execute` again and nothing else is accepted. Accounts that decode it in another way, such as the
 * `(address, bytes)` of account-abstraction's TestExecAccount, revert on these bytes: the selector would have to
 * be the upper, zero part of an address. On v0.6, SimpleAccount and Biconomy 1.0.0 the prefix means nothing.
 *
 * @see bcnmy/nexus Nexus.sol, `executeUserOp`
 */
function decodeExecuteUserOp(digits: string, { entryPointVersion, account }: DecodeCallsInput): DecodeResult {
  const isBiconomyV1 = account?.name === 'BICONOMY' && account.version === '1.0.0';
  if (entryPointVersion === '0.6' || account?.name === 'INFINITISM' || isBiconomyV1) {
    throw new DecodeFailure('UNKNOWN_SHAPE', 'an executeUserOp prefix that this account kind does not have');
  }
  if (!digits.startsWith(EXECUTION_SELECTORS.erc7579Execute.slice(2), SELECTOR_DIGITS)) {
    throw new DecodeFailure(
      'UNKNOWN_SHAPE',
      'an executeUserOp prefix in front of something else than ERC-7579 execute',
    );
  }
  const calls = readErc7579Calls(new CanonicalReader(digits, 2 * SELECTOR_DIGITS));
  return { understood: true, shape: 'executeUserOp(erc7579Execute)', calls };
}
