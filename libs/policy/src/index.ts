/** Decides whether an operation is sponsored: decodes its calls, asks the rules, and shows every step. Pure. */
export type { DearestSignature, OperationHandlers } from './accounts/account-family';
export { decodeCalls, type DecodeCallsInput } from './accounts/decode-calls';
export { dearestSignature } from './accounts/dearest-signature';
export {
  accountImplementationOf,
  implementationSlotOf,
  type AccountImplementation,
} from './accounts/known-implementations';
export {
  BUILT_IN_ACCOUNTS,
  compileKnownAccounts,
  knownFactoryOf,
  type KnownAccounts,
  type OperatorAccounts,
} from './accounts/known-accounts';
export type { KnownAccountFactory } from './accounts/known-factories';
export {
  MISSPELT_SMART_ACCOUNT_NAMES,
  SMART_ACCOUNT_NAMES,
  smartAccountOf,
  stubSignatureOf,
  type SmartAccountInfo,
} from './accounts/smart-account';
export {
  MAX_CALL_DATA_BYTES,
  MAX_INNER_CALLS,
  type DecodeFailureKind,
  type DecodeResult,
  type InnerCall,
} from './decode/decode-result';
export { AbiSignatureError, parseMethodSignature, type MethodSignature } from './arguments/abi-signature';
export { ArgumentRuleError, compileArgumentRule } from './arguments/compile-argument-rule';
export {
  checkPolicies,
  type PoliciesQuestion,
  type PoliciesVerdict,
  type SponsorshipCandidate,
} from './policies/check-policies';
export { amountIn, budgetKey, claimLine, type Claim, type ClaimUnit } from './policies/claim';
export type { CompiledPolicies } from './policies/compile-policies';
export { keyLimitClaims, type KeyClaim } from './policies/key-limits';
export { limitsOf, type CountedLimit } from './policies/limits-of';
export { calendarWindow, fixedWindow, type LimitWindow } from './policies/limit-windows';
export type { NativeInput, OperationCosts, RecentOutcomes } from './policies/native-rule';
export { checkAccount } from './rules/delegation-rules';
export {
  checkGasBounds,
  handWrittenVerificationGas,
  highestMaxFeePerGas,
  type GasBounds,
  type GasBoundsInput,
} from './rules/check-gas-bounds';
export { checkOperationCost, type OperationCostInput } from './rules/check-operation-cost';
export { compilePolicy, type CompiledPolicy } from './policies/compile-policy';
export { claimsEip7702Delegation, hasEip7702Marker } from './policies/eip7702';
export { evaluate } from './rules/evaluate';
export type { EvaluationInput } from './rules/evaluation-input';
export { POLICY_REASONS, type PolicyReason } from './policies/policy-reasons';
export { traceIfAllowed, type Refusal, type Verdict } from './policies/verdict';
