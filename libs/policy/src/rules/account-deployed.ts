import { factoryOf } from '@paymaster/domain';
import { claimsEip7702Delegation } from '../policies/eip7702';
import type { EvaluationInput } from './evaluation-input';
import { pass, refuse, skip, type Rule } from '../policies/verdict';

/**
 * An account that has no code cannot validate the operation as it stands. Nobody reads its code for this rule alone: the
 * signature is bound to the delegate, so that no EIP-7702 authorization can give the account code for it.
 */
export const accountDeployed: Rule<Pick<EvaluationInput, 'operation' | 'hasCode'>> = {
  name: 'accountDeployed',
  check: ({ operation, hasCode }) => {
    if (factoryOf(operation) || claimsEip7702Delegation(operation)) return skip('the operation says what it will run');
    if (hasCode === undefined) return skip('its code was not read');
    if (hasCode) return pass('has code');
    return refuse('no code', {
      reason: 'ACCOUNT_NOT_DEPLOYED',
      message: `Account ${operation.sender} has no code, and the operation has no factory that deploys it`,
    });
  },
};
