import type { AccountFamily } from './account-family';
import { ERC7579_EXECUTE } from './erc7579';

/** The default mode with the root validator, whatever is named, or with the validator that is named. */
const PREFIXES: ReadonlySet<string> = new Set(['0000', '0001']);

/** Kernel v3 of ZeroDev. */
export const KERNEL: AccountFamily = {
  name: 'Kernel',
  functions: [ERC7579_EXECUTE],
  nonceLayout: {
    name: 'kernel',
    /** `[1 mode][1 type][20 validator][2 free]`: zerodevapp/kernel v3 `src/utils/ValidationTypeLib.sol`, `decodeNonce`. */
    validatorOf: (digits) => (PREFIXES.has(digits.slice(0, 4)) ? digits.slice(4, 44) : undefined),
  },
  // zerodevapp/kernel README.md: ECDSA Validator of v3.0, and of v3.1 and later
  validators: ['0x8104e3ad430ea6d354d013a6789fdfc71e671c43', '0x845adb2c711129d4f3966735ed98a9f09fc4ce57'],
};
