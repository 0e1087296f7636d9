import type { Address } from '@paymaster/domain';
import type { CanonicalReader } from './canonical-reader';
import { DecodeFailure, innerCall, type InnerCall } from './decode-result';
import { readMultiSend } from './multi-send';

const CALL = 0;
const DELEGATE_CALL = 1;

/**
 * `executeUserOp(address to, uint256 value, bytes data, uint8 operation)` of the Safe 4337 module.
 *
 * Operation 1 is a delegatecall. It is how a Safe batches, so one to a known MultiSend contract is read as the
 * calls in it; any other delegatecall runs foreign code as the account and is refused.
 *
 * @see safe-global/safe-modules Safe4337Module.sol
 */
export function readSafeCalls(reader: CanonicalReader, multiSendContracts: ReadonlySet<Address>): InnerCall[] {
  const to = reader.address('target');
  const valueWei = reader.uint256('value');
  const dataOffset = reader.smallNumber('offset of data');
  const operation = reader.smallNumber('operation');
  reader.expectTail(dataOffset, 'data');
  const data = reader.bytes('data');
  reader.finish();

  if (operation === CALL) return [innerCall(to, valueWei, data)];
  if (operation !== DELEGATE_CALL) throw new DecodeFailure('UNSUPPORTED_MODE', `Safe operation ${operation}`);
  if (!multiSendContracts.has(to)) throw new DecodeFailure('DELEGATE_CALL', `a delegatecall to ${to}`);
  // A delegatecall has no value of its own: the Safe ignores this field, so only zero says what happens.
  if (valueWei !== 0n) throw new DecodeFailure('NOT_CANONICAL', 'a delegatecall to MultiSend with a value');

  return readMultiSend(data).map(({ operation: inner, ...call }) => {
    if (inner === DELEGATE_CALL) throw new DecodeFailure('DELEGATE_CALL', `a delegatecall to ${call.to} in MultiSend`);
    if (inner !== CALL) throw new DecodeFailure('UNSUPPORTED_MODE', `MultiSend operation ${inner}`);
    return call;
  });
}
