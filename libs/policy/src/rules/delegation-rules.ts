import type { Address } from '@paymaster/domain';
import { knownDelegate } from '../accounts/known-delegates';
import { accountDeployed } from './account-deployed';
import { claimsEip7702Delegation } from '../policies/eip7702';
import type { EvaluationInput, PolicyRule } from './evaluation-input';
import { applyRules, pass, refuse, skip, type Rule, type Verdict } from '../policies/verdict';

type AccountInput = Pick<EvaluationInput, 'operation' | 'hasCode' | 'eip7702Delegate' | 'policy'>;

/** Whose code an account runs is its owner's choice, again and again; only a policy that lists the delegate allows it. */
export const noEip7702: Rule<AccountInput> = {
  name: 'noEip7702',
  check: ({ operation, eip7702Delegate, policy }) => {
    if (!eip7702Delegate) {
      return claimsEip7702Delegation(operation) ? refuseUnknown() : pass('no delegation');
    }
    if (policy.policies.eip7702Delegates.has(eip7702Delegate.toLowerCase())) {
      return pass(`a policy lists ${eip7702Delegate}`);
    }
    return refuse(eip7702Delegate, {
      reason: 'EIP7702_NOT_SPONSORED',
      message: `This EIP-7702 delegation is not sponsored: no policy lists its delegate ${eip7702Delegate}`,
    });
  },
};

function refuseUnknown() {
  return refuse('unknown delegate', {
    reason: 'EIP7702_NOT_SPONSORED',
    message:
      'This EIP-7702 delegation is not sponsored: nobody can say whose code the account will run. A new delegation needs eip7702Auth',
  });
}

const ACCOUNT_RULES = [accountDeployed, noEip7702];

/** Whether the account can validate the operation and runs no code but what may be signed for, where nothing else is judged. */
export function checkAccount(input: AccountInput): Verdict {
  return applyRules(ACCOUNT_RULES, input);
}

/**
 * A whitelist binds only code that reads call data as it was decoded here. A policy that lists a delegate vouches for
 * it, but not for how it reads: that takes a known delegate, the operator's list, or `allowUnknownFactories`, which says
 * the same of new accounts.
 */
export const delegateUnderstood: PolicyRule = {
  name: 'delegateUnderstood',
  check: ({ eip7702Delegate, decoded, policy, knownAccounts }) => {
    if (!eip7702Delegate) return skip('no delegation');
    const known = knownDelegate(eip7702Delegate, knownAccounts?.delegates);
    if (!known) {
      if (policy.settings.allowUnknownFactories) return skip('unknown code is allowed');
      return refuseCallData(eip7702Delegate, 'is not a known one');
    }
    if (decoded.understood && (!known.shapes || known.shapes.has(decoded.shape))) return pass(known.name);
    return refuseCallData(eip7702Delegate, 'has no such function');
  },
};

function refuseCallData(delegate: Address, because: string) {
  return refuse(`${delegate} ${because}`, {
    reason: 'CALL_DATA_NOT_UNDERSTOOD',
    message: `callData is not understood, so it is not sponsored: the delegate ${delegate} ${because}`,
  });
}
