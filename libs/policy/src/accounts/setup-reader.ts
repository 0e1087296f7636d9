import type { Address } from '@paymaster/domain';
import { CanonicalReader } from '../decode/canonical-reader';
import { DecodeFailure } from '../decode/decode-result';

const SELECTOR_DIGITS = 8;

/** An operation would set its account up with a contract or a call that is not known. */
export class UnknownSetup extends DecodeFailure {
  constructor(detail: string) {
    super('UNSUPPORTED_MODE', detail);
  }
}

/** A reader of the arguments of a call that has to be of this function. */
export function readerOf(digits: string, selector: string, what: string): CanonicalReader {
  if (!digits.startsWith(selector)) throw new UnknownSetup(`${what} is not understood`);
  return new CanonicalReader(digits, SELECTOR_DIGITS);
}

export function expectKnown(known: Pick<ReadonlySet<Address>, 'has'>, address: Address, what: string): void {
  if (!known.has(address)) throw new UnknownSetup(`${what} ${address} is not known`);
}
