import { isAddress, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';

const SLOT = /^0x[0-9a-fA-F]{64}$/;

/** A storage slot that a call touches. */
export interface TouchedSlot {
  readonly address: Address;
  /** 0x and 64 digits, lower case. */
  readonly slot: Hex;
}

/**
 * The answer to `eth_createAccessList`, flat.
 *
 * @throws {UnexpectedAnswerError}
 */
export function parseAccessList(value: unknown): readonly TouchedSlot[] {
  const { accessList } = parseRecord(value, 'eth_createAccessList');
  if (!Array.isArray(accessList)) throw new UnexpectedAnswerError('accessList');
  return accessList.flatMap((entry) => {
    const { address, storageKeys } = parseRecord(entry, 'accessList');
    if (!isAddress(address) || !Array.isArray(storageKeys)) throw new UnexpectedAnswerError('accessList');
    return storageKeys.map((slot: unknown): TouchedSlot => {
      if (typeof slot !== 'string' || !SLOT.test(slot)) throw new UnexpectedAnswerError('accessList.storageKeys');
      return { address: normalizeAddress(address), slot: slot.toLowerCase() as Hex };
    });
  });
}
