import type { Address, NativeRules, UserOperation } from '@paymaster/domain';
import type { InnerCall } from '../decode/decode-result';
import type { Finding } from './verdict';
import type { ClaimCosts } from './claim';

/** Operations of a paymaster that landed lately, and how many of these reverted. */
export interface RecentOutcomes {
  readonly landed: number;
  readonly reverted: number;
}

/** What an operation costs, once its gas limits are known. */
export interface OperationCosts extends ClaimCosts {
  /** What our own estimate says its calls need; gas. Equal to its `callGasLimit` where that is our estimate. */
  readonly estimatedCallGas: bigint;
}

/** All that the native rules of a policy look at. */
export interface NativeInput {
  readonly operation: UserOperation;
  readonly calls: readonly InnerCall[];
  /** Names the app's user in budgets per user, over all of his accounts; absent: each account is a user. */
  readonly user?: string | undefined;
  /** The same user's name in budgets that several paymasters share. */
  readonly sharedUser?: string | undefined;
  /** Time on chain. */
  readonly nowSeconds: number;
  /** Of the pending block; wei per gas. */
  readonly baseFeePerGas: bigint;
  /** Whose code the account runs by EIP-7702; undefined for other operations. */
  readonly eip7702Delegate: Address | undefined;
  /** By the window of a revert breaker, minutes. */
  readonly outcomes: ReadonlyMap<number, RecentOutcomes>;
  /** Undefined before the gas limits are known: rules on costs are skipped then, and asked again later. */
  readonly costs: OperationCosts | undefined;
}

/** An operation whose costs are known. */
export interface PricedOperation extends Pick<NativeInput, 'nowSeconds' | 'user' | 'sharedUser'> {
  readonly operation: Pick<UserOperation, 'sender'>;
  readonly costs: ClaimCosts;
}

export type NativeCheck = (input: NativeInput) => Finding;

/** One kind of native rule (docs/architecture/rules.md): what a policy asks is compiled once per snapshot. */
export interface NativeRule {
  readonly name: string;
  /** Undefined where the policy does not ask for this. */
  readonly compile: (rules: NativeRules) => NativeCheck | undefined;
}

/** Addresses as a set, in the form that operations have. */
export function addressSet(addresses: readonly Address[]): ReadonlySet<Address> {
  return new Set(addresses.map((address) => address.toLowerCase() as Address));
}
