import { InvalidParamsError, type Hex, type SmartAccountInfo, type UserOperation } from '@paymaster/domain';

/**
 * A well-formed signature of nobody: low s, v 28, an `r` that recovers. Account code then says SIG_FAILED, which
 * bundlers ignore in estimation, instead of reverting, which they do not.
 */
export const ECDSA_STUB: Hex = `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`;

/** Biconomy's ECDSA ownership module, the same address on every chain. */
export const BICONOMY_ECDSA_MODULE = '0x0000001c5b32f37f5bea87bdd5374eb2ac54ea8e';

/** `validAfter` and `validUntil` of the Safe 4337 module, six bytes each: no bounds. */
const SAFE_NO_TIME_BOUNDS = '00'.repeat(12);

/** The signature an account of this kind has, as far as gas goes. One owner; more owners send their own stub. */
export function accountStubSignature(account: SmartAccountInfo): Hex {
  switch (account.name) {
    case 'INFINITISM':
      return ECDSA_STUB;
    case 'BICONOMY':
      // Version 1 verifies the bytes themselves, version 2 asks the module named behind them.
      return account.version.startsWith('1.') ? ECDSA_STUB : biconomyV2Stub();
    case 'SAFE':
      return `0x${SAFE_NO_TIME_BOUNDS}${ECDSA_STUB.slice(2)}`;
  }
}

/**
 * The operation as it is estimated: with its own signature, or, where that is empty, the stub of its account kind.
 *
 * @throws {InvalidParamsError} naming `signature`, when it is empty and the kind of account is unknown
 */
export function withEstimableSignature<T extends UserOperation>(operation: T, account?: SmartAccountInfo): T {
  if (operation.signature !== '0x') return operation;
  if (!account)
    throw new InvalidParamsError(
      'params[0].signature',
      'params[0].signature is needed to estimate gas: send a stub signature, or name the account in smartAccountInfo',
    );
  return { ...operation, signature: accountStubSignature(account) };
}

/** `abi.encode(bytes signature, address module)`. */
function biconomyV2Stub(): Hex {
  const word = (digits: string) => digits.padStart(64, '0');
  const signature = ECDSA_STUB.slice(2);
  return `0x${word('40')}${word(BICONOMY_ECDSA_MODULE.slice(2))}${word('41')}${signature.padEnd(192, '0')}`;
}
