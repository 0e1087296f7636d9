/** Decides whether an operation is sponsored: decodes its calls, asks the rules, and shows every step. Pure. */
export { implementationSlotOf, isKnownAccount } from './accounts/is-known-account';
export {
  compileKnownFactories,
  KNOWN_ACCOUNT_FACTORIES,
  type KnownAccountFactory,
  type KnownFactories,
} from './accounts/known-account-factories';
export {
  compileKnownImplementations,
  KNOWN_ACCOUNT_IMPLEMENTATIONS,
  type KnownAccountImplementation,
  type KnownImplementations,
} from './accounts/known-account-implementations';
export { KNOWN_MULTI_SEND_CONTRACTS } from './accounts/known-safe-contracts';
export { decodeCalls, type DecodeCallsInput } from './decode/decode-calls';
export {
  MAX_CALL_DATA_BYTES,
  MAX_INNER_CALLS,
  type DecodeFailureKind,
  type DecodeResult,
  type InnerCall,
} from './decode/decode-result';
export { checkGasBounds, type GasBounds, type GasBoundsInput } from './rules/check-gas-bounds';
export { checkOperationCost, type OperationCostInput } from './rules/check-operation-cost';
export { compilePolicy, type CompiledPolicy } from './rules/compile-policy';
export { evaluate } from './rules/evaluate';
export type { EvaluationInput } from './rules/evaluation-input';
export { POLICY_REASONS, type PolicyReason } from './rules/policy-reasons';
export { assertAllowed, type Refusal, type Verdict } from './rules/verdict';
