import type { Address, UserOperation } from '@paymaster/domain';
import type { KnownFactories } from '../accounts/known-account-factories';
import type { DecodeResult, InnerCall } from '../decode/decode-result';
import type { Rule } from './verdict';
import type { CompiledPolicy } from './compile-policy';

/** All that the verdict on an operation depends on. */
export interface EvaluationInput {
  readonly operation: UserOperation;
  /** Of `decodeCalls`, for this operation. */
  readonly decoded: DecodeResult;
  readonly policy: CompiledPolicy;
  /** Default: the built-in factories only. */
  readonly knownFactories?: KnownFactories;
  /**
   * What the chain says about the deployed account's implementation; needed only where `requireKnownAccounts` is
   * on. Left out means not known.
   */
  readonly accountImplementation?: { readonly known: boolean };
  /** True when the operation came with an `eip7702Auth`. */
  readonly hasEip7702Authorization?: boolean;
  /** Whose code the account runs by EIP-7702. Left out means not known. */
  readonly eip7702Delegate?: Address;
}

export type PolicyRule = Rule<EvaluationInput>;

/** The decoded calls; none when the call data is not understood, which an earlier rule refuses. */
export function callsOf({ decoded }: EvaluationInput): readonly InnerCall[] {
  return decoded.understood ? decoded.calls : [];
}

/** True when exactly this method of this contract is whitelisted; `sponsorAnyContract` is not looked at. */
export function isWhitelisted(policy: CompiledPolicy, call: { to: Address; selector: InnerCall['selector'] }): boolean {
  return call.selector !== undefined && policy.selectorsByContract.get(call.to)?.has(call.selector) === true;
}
