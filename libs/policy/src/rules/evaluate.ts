import { accountDeployed } from './account-deployed';
import {
  callDataUnderstood,
  contractsRegistered,
  methodsWhitelisted,
  nativeTransfers,
  noDelegateCall,
  noSelfCall,
  policiesSet,
  somethingToSponsor,
} from './call-rules';
import { delegateUnderstood, noEip7702 } from './delegation-rules';
import { accountKnown, deploymentSponsored, factoryKnown, validatorKnown } from './deployment-rules';
import type { EvaluationInput, PolicyRule } from './evaluation-input';
import { applyRules, type Verdict } from '../policies/verdict';

/** The rules, in the order they are asked. */
export const POLICY_RULES: readonly PolicyRule[] = [
  policiesSet,
  callDataUnderstood,
  noDelegateCall,
  somethingToSponsor,
  noSelfCall,
  nativeTransfers,
  contractsRegistered,
  methodsWhitelisted,
  accountDeployed,
  noEip7702,
  delegateUnderstood,
  deploymentSponsored,
  factoryKnown,
  accountKnown,
  validatorKnown,
];

/**
 * Whether the paymaster sponsors the operation. Pure; the same input always gives the same verdict.
 *
 * @returns yes or no, with one trace line per rule asked; the first refusal ends it
 * @example
 * const policy = compilePolicy(snapshot); // once per snapshot
 * const decoded = decodeCalls({ callData: operation.callData, entryPointVersion: operation.entryPointVersion });
 * const trace = traceIfAllowed(evaluate({ operation, decoded, policy }));
 */
export function evaluate(input: EvaluationInput): Verdict {
  return applyRules(POLICY_RULES, input);
}
