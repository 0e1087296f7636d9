import { CanonicalReader } from '../decode/canonical-reader';
import { DecodeFailure, innerCall, type InnerCall } from '../decode/decode-result';
import { readBatchOfTuples } from '../decode/plain-calls';
import type { AccountFamily, AccountFunction, NonceLayout } from './account-family';

export const ERC7579_EXECUTE: AccountFunction = {
  name: 'erc7579Execute',
  signature: 'execute(bytes32,bytes)',
  selector: '0xe9ae5c53',
  read: readErc7579Calls,
  isErc7579: true,
};

/** `[20 validator][4 free]`. */
export const VALIDATOR_FIRST: NonceLayout = { name: 'validatorFirst', validatorOf: (digits) => digits.slice(0, 40) };

/**
 * Other modular accounts: the reference implementation of ERC-7579 (erc7579/erc7579-implementation `MSAAdvanced.sol`),
 * Safe7579, OpenZeppelin's `AccountERC7579`.
 */
export const ERC7579: AccountFamily = {
  name: 'ERC-7579',
  canHavePasskeys: true,
  functions: [ERC7579_EXECUTE],
  forwards: [{ signature: 'executeFromExecutor(bytes32,bytes)', selector: '0xd691c964' }],
  nonceLayout: VALIDATOR_FIRST,
};

const SINGLE = '00';
const BATCH = '01';
const DELEGATE = 'ff';
const EXEC_DEFAULT = '00';
const EXEC_TRY = '01';
/** Unused (4 bytes), modeSelector (4) and modePayload (22): accounts may give them any meaning, so all zero. */
const REST_OF_MODE = '0'.repeat(60);
/** target (20 bytes) and value (32) of a packed single execution, in digits. */
const TARGET_DIGITS = 40;
const SINGLE_HEAD_DIGITS = 104;

/**
 * `execute(bytes32 mode, bytes executionCalldata)` of ERC-7579.
 *
 * Understood: single and batch call types, default and try exec types. Delegatecall (0xff) is refused, static
 * call (0xfe), other types and any modeSelector or payload are not understood.
 *
 * @see ERC-7579, "Execution Behavior"
 */
function readErc7579Calls(reader: CanonicalReader): InnerCall[] {
  const mode = reader.word('mode');
  const offset = reader.smallNumber('offset of executionCalldata');
  reader.expectTail(offset, 'executionCalldata');
  const execution = reader.bytes('executionCalldata');
  reader.finish();

  const callType = mode.slice(0, 2);
  const execType = mode.slice(2, 4);
  if (callType === DELEGATE) throw new DecodeFailure('DELEGATE_CALL', 'ERC-7579 call type 0xff');
  if (execType !== EXEC_DEFAULT && execType !== EXEC_TRY) {
    throw new DecodeFailure('UNSUPPORTED_MODE', `ERC-7579 exec type 0x${execType}`);
  }
  if (mode.slice(4) !== REST_OF_MODE) {
    throw new DecodeFailure('UNSUPPORTED_MODE', 'an ERC-7579 mode selector or payload');
  }
  if (callType === SINGLE) return [readPackedExecution(execution)];
  if (callType === BATCH) return readBatchOfTuples(new CanonicalReader(execution, 0));
  throw new DecodeFailure('UNSUPPORTED_MODE', `ERC-7579 call type 0x${callType}`);
}

/** `abi.encodePacked(target, value, callData)`. */
function readPackedExecution(digits: string): InnerCall {
  if (digits.length < SINGLE_HEAD_DIGITS) {
    throw new DecodeFailure('NOT_CANONICAL', 'a single execution shorter than target and value');
  }
  const value = BigInt(`0x${digits.slice(TARGET_DIGITS, SINGLE_HEAD_DIGITS)}`);
  return innerCall(`0x${digits.slice(0, TARGET_DIGITS)}`, value, digits.slice(SINGLE_HEAD_DIGITS));
}
