import { InvalidParamsError, type Address } from '@paymaster/domain';

/** The zero address and the precompiles: their first 18 bytes are zero. */
const PRECOMPILE = /^0x0{36}/;

/** @throws {InvalidParamsError} when the sender cannot be a smart account */
export function assertNoReservedSender(sender: Address, reserved: readonly Address[]): void {
  if (!PRECOMPILE.test(sender) && !reserved.includes(sender)) return;
  throw new InvalidParamsError('params[0].sender', 'params[0].sender cannot be a smart account.');
}
