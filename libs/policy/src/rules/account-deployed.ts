import { factoryOf } from '@paymaster/domain';
import { claimsEip7702Delegation } from './eip7702';
import type { EvaluationInput } from './evaluation-input';
import { applyRules, pass, refuse, skip, type Rule, type Verdict } from './verdict';

type Input = Pick<EvaluationInput, 'operation' | 'hasCode'>;

/**
 * An account that has no code cannot validate the operation as it stands. Whoever lands it gives the account some, by an
 * EIP-7702 authorization in the same transaction, and that code does what it likes.
 */
export const accountDeployed: Rule<Input> = {
  name: 'accountDeployed',
  check: ({ operation, hasCode }) => {
    if (factoryOf(operation) || claimsEip7702Delegation(operation)) return skip('the operation says what it will run');
    if (hasCode) return pass('has code');
    return refuse('no code', {
      reason: 'ACCOUNT_NOT_DEPLOYED',
      message: `Account ${operation.sender} has no code, and the operation has no factory that deploys it`,
    });
  },
};

const RULES = [accountDeployed];

/** Whether the account can validate the operation, where nothing else of it is judged. */
export function checkDeployed(input: Input): Verdict {
  return applyRules(RULES, input);
}
