import type { Address, UserOperation } from '@paymaster/domain';
import type { AccountImplementation } from '../accounts/known-implementations';
import type { KnownAccounts } from '../accounts/known-accounts';
import type { DecodeResult, InnerCall } from '../decode/decode-result';
import type { Rule } from '../policies/verdict';
import type { CompiledPolicy } from '../policies/compile-policy';

/** All that the verdict on an operation depends on. */
export interface EvaluationInput {
  readonly operation: UserOperation;
  /** Of `decodeCalls`, for this operation. */
  readonly decoded: DecodeResult;
  readonly policy: CompiledPolicy;
  /** Factories and delegates that are known on the chain; left out where the operator adds none. */
  readonly knownAccounts?: KnownAccounts | undefined;
  /**
   * What the chain says about the deployed account's implementation; needed only where `requireKnownAccounts` is
   * on. Left out means not known.
   */
  readonly accountImplementation?: AccountImplementation;
  /**
   * Whether the chain has the published factory at the address of a known one, where the family says what that is
   * (`onChain`). Left out means not known.
   */
  readonly isPublishedFactory?: boolean;
  /** Whether the account has code, of its own or a delegate's; left out where nobody has read it. */
  readonly hasCode?: boolean;
  /**
   * Whose code the account will run by EIP-7702 when the operation lands, which will be signed. Left out means that it
   * will be signed for an account that does not delegate; or, where the operation says that it does, that nobody can say.
   */
  readonly eip7702Delegate?: Address | undefined;
}

export type PolicyRule = Rule<EvaluationInput>;

/** The decoded calls; none when the call data is not understood, which an earlier rule refuses. */
export function callsOf({ decoded }: EvaluationInput): readonly InnerCall[] {
  return decoded.understood ? decoded.calls : [];
}

/** True when exactly this method of this contract is whitelisted; `sponsorAnyContract` is not looked at. */
export function isWhitelisted(policy: CompiledPolicy, call: { to: Address; selector: InnerCall['selector'] }): boolean {
  // Stryker disable next-line ConditionalExpression: no set of selectors has undefined in it
  return call.selector !== undefined && policy.selectorsByContract.get(call.to)?.has(call.selector) === true;
}
