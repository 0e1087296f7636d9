import type { Address } from '@paymaster/domain';

/**
 * How an account writes into its nonce who validates its operations, digits of the 32 bytes from the left. The last 8
 * bytes are the EntryPoint's sequence number.
 */
export type NonceLayout =
  /** `[3 free][1 mode][20 validator]`: bcnmy/nexus v1.0.1 to v1.2.0 `contracts/lib/NonceLib.sol`. */
  | 'nexus'
  /** `[1 mode][1 type][20 validator][2 free]`: zerodevapp/kernel v3 `src/utils/ValidationTypeLib.sol`, `decodeNonce`. */
  | 'kernel'
  /**
   * `[20 validator][4 free]`: the reference implementation of ERC-7579 (erc7579/erc7579-implementation
   * `MSAAdvanced.sol`), Safe7579, OpenZeppelin's `AccountERC7579`.
   */
  | 'validatorFirst';

/** The validator that the account has for operations which name none. */
const DEFAULT_VALIDATOR: Address = `0x${'0'.repeat(40)}`;

/** Validators that check a signature of the account's owner, and make the account do nothing. */
export const KNOWN_VALIDATORS: ReadonlySet<Address> = new Set<Address>([
  DEFAULT_VALIDATOR,
  // Nexus 1.0.0: permissionless 0.3.7 accounts/nexus/toNexusSmartAccount.ts (K1_VALIDATOR_ADDRESS)
  '0x00000004171351c442b202678c48d8ab5b321e8f',
  // bcnmy/abstract-docs docs/pages/contracts-and-audits.md: K1 Validator of Nexus v1.0.1 and v1.0.2, and the MEE K1
  // Validators v1.0.1, v1.0.3 (evm Paris), v1.0.3
  '0x0000002d6db27c52e3c11c1cf24072004ac75cba',
  '0x00000000d12897ddadc2044614a9677b191a2d95',
  '0x00000000e894100becfc7c934ab7ac8fba08a44c',
  '0x0000000031ef4155c978d48a8a7d4edba03b04fe',
  // zerodevapp/kernel README.md: ECDSA Validator of v3.0, and of v3.1 and later
  '0x8104e3ad430ea6d354d013a6789fdfc71e671c43',
  '0x845adb2c711129d4f3966735ed98a9f09fc4ce57',
]);

const EVERY_LAYOUT: readonly NonceLayout[] = ['nexus', 'kernel', 'validatorFirst'];

/** Nexus' validate mode; 1 installs a module of the caller's choice before it validates, 2 sets the account up. */
const NEXUS_VALIDATE = '00';
/** Kernel's default mode with its root validator, whatever is named, or with the one that is named. */
const KERNEL_PREFIXES: ReadonlySet<string> = new Set(['0000', '0001']);

const VALIDATOR_OF: Readonly<Record<NonceLayout, (digits: string) => string | undefined>> = {
  nexus: (digits) => (digits.slice(6, 8) === NEXUS_VALIDATE ? digits.slice(8, 48) : undefined),
  kernel: (digits) => (KERNEL_PREFIXES.has(digits.slice(0, 4)) ? digits.slice(4, 44) : undefined),
  validatorFirst: (digits) => digits.slice(0, 40),
};

/**
 * Whether a nonce asks for nothing but validation by a known validator.
 *
 * @param layout how the account reads its nonce; left out where nobody can say: then one of all layouts has to fit. A
 *   known validator where one layout has it leaves no room for a chosen one where another has it: too few of the bytes
 *   there are free.
 */
export function namesKnownValidator(nonce: bigint, layout?: NonceLayout): boolean {
  const digits = nonce.toString(16).padStart(64, '0');
  return (layout ? [layout] : EVERY_LAYOUT).some((each) => {
    const validator = VALIDATOR_OF[each](digits);
    return validator !== undefined && KNOWN_VALIDATORS.has(`0x${validator}`);
  });
}
