import { byteLength, isHexBytes, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { CanonicalReader } from '../decode/canonical-reader';
import { DecodeFailure, MAX_CALL_DATA_BYTES, type DecodeResult } from '../decode/decode-result';
import { MAX_SUFFIX_BYTES } from './account-family';
import { FUNCTION_BY_SELECTOR } from './known-functions';
import { clientVersionOf, type SmartAccountInfo } from './smart-account';

export interface DecodeCallsInput {
  readonly callData: Hex;
  readonly entryPointVersion: EntryPointVersion;
  /**
   * What the client says its account is. Only a hint, clients are known to name the wrong kind: the function
   * selector decides the shape, the hint may only narrow what is ambiguous.
   */
  readonly account?: SmartAccountInfo | undefined;
}

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

function decode({ callData, entryPointVersion, account }: DecodeCallsInput): DecodeResult {
  if (!isHexBytes(callData)) throw new DecodeFailure('NOT_HEX', 'call data is not whole bytes of hexadecimal');
  if (callData === '0x') return { understood: true, shape: 'none', calls: [] };
  if (byteLength(callData) > MAX_CALL_DATA_BYTES) {
    throw new DecodeFailure('TOO_LARGE', `call data of more than ${MAX_CALL_DATA_BYTES} bytes`);
  }
  const digits = callData.slice(2).toLowerCase();
  const selector = digits.slice(0, SELECTOR_DIGITS);
  const called = FUNCTION_BY_SELECTOR.get(selector);
  if (!called) throw new DecodeFailure('UNKNOWN_SHAPE', `account function 0x${selector}`);
  const operation = { entryPointVersion, account: account && clientVersionOf(account) };
  const suffix = called.ignoresSuffix ? 2 * MAX_SUFFIX_BYTES : 0;
  const reader = new CanonicalReader(digits, SELECTOR_DIGITS, digits.length, suffix);
  const calls = called.read(reader, operation);
  const understood = { understood: true, shape: called.name, calls } as const;
  if (!called.ignoresSuffix || reader.here === digits.length) return understood;
  return { ...understood, suffixBytes: (digits.length - reader.here) / 2 };
}
