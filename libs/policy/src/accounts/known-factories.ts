import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { DecodeFailure } from '../decode/decode-result';
import { shapesOf, type AccountFactory, type AccountFamily } from './account-family';
import * as families from './families';

export interface KnownAccountFactory extends AccountFactory {
  /** The shapes of `decodeCalls` that its accounts have; left out where the operator vouches for them. */
  readonly shapes?: ReadonlySet<string>;
  /** Of accounts whose nonce says how they validate: the layout's name. */
  readonly nonceLayout?: string | undefined;
}

/** Factories by address, made once by {@link compileKnownFactories}. */
export type KnownFactories = ReadonlyMap<Address, KnownAccountFactory>;

/** Factories whose accounts read call data the way this library does. */
export const KNOWN_ACCOUNT_FACTORIES: readonly KnownAccountFactory[] = Object.values(families).flatMap(
  (family: AccountFamily) => {
    const shapes = shapesOf(family);
    return (family.factories ?? []).map((factory) => ({ ...factory, nonceLayout: family.nonceLayout?.name, shapes }));
  },
);

/** The known factories and those the operator vouches for, ready for look-up. Call once, at start. */
export function compileKnownFactories(operatorFactories: readonly Address[] = []): KnownFactories {
  const fromOperator = operatorFactories.map((address): KnownAccountFactory => ({
    name: "factory from the operator's list",
    address: normalizeAddress(address),
  }));
  // The built-in entries come last: an operator's entry must not switch off the check of a setup.
  return new Map([...fromOperator, ...KNOWN_ACCOUNT_FACTORIES].map((factory) => [factory.address, factory]));
}

/**
 * What in the call to a known factory would give the account code or modules that are not known, or undefined
 * when nothing would.
 */
export function explainUnknownSetup({ checkSetup }: Pick<AccountFactory, 'checkSetup'>, factoryData: Hex) {
  try {
    checkSetup?.(factoryData.slice(2).toLowerCase());
    return undefined;
  } catch (error) {
    if (error instanceof DecodeFailure) return error.message;
    throw error;
  }
}
