import type { Address, Hex } from '@paymaster/domain';
import type { AccountFamily, AccountFunction } from './account-family';
import * as families from './families';

const FAMILIES: readonly AccountFamily[] = Object.values(families);
const FUNCTIONS: readonly AccountFunction[] = FAMILIES.flatMap((family) => family.functions);

/** By the digits of its selector: the account function that call data starts with. */
export const FUNCTION_BY_SELECTOR: ReadonlyMap<string, AccountFunction> = new Map(
  FUNCTIONS.map((each) => [each.selector.slice(2), each]),
);

/** Names of functions that ERC-7579 accounts have, some of which take their validator from the nonce. */
export const ERC7579_FUNCTIONS: ReadonlySet<string> = new Set(
  FUNCTIONS.filter(({ isErc7579 }) => isErc7579).map(({ name }) => name),
);

/** Names of functions of accounts that can have passkeys. */
export const PASSKEY_FUNCTIONS: ReadonlySet<string> = new Set(
  FAMILIES.filter(({ canHavePasskeys }) => canHavePasskeys).flatMap(({ functions }) =>
    functions.map(({ name }) => name),
  ),
);

/** `multicall(bytes[])`, which accounts of several families may have. */
const MULTICALL: Hex = '0xac9650d8';

/** Functions of any account that make it call further; never allowed in a call of the account to itself. */
export const CALLING_SELECTORS: ReadonlySet<Hex> = new Set([
  MULTICALL,
  ...FAMILIES.flatMap(({ functions, forwards = [] }) => [...functions, ...forwards].map(({ selector }) => selector)),
]);

/** Contracts through which an account reaches itself: what it says to them is a call of the account to itself. */
export const ACCOUNT_ADAPTERS: ReadonlySet<Address> = new Set(FAMILIES.flatMap(({ adapters = [] }) => adapters));
