import { factoryOf, type Address } from '@paymaster/domain';
import { compileKnownFactories } from '../accounts/known-account-factories';
import { explainUnknownSetup } from '../accounts/explain-unknown-setup';
import { callsOf, type EvaluationInput, type PolicyRule } from './evaluation-input';
import { isEip7702 } from './eip7702';
import { pass, refuse, skip } from './verdict';

const BUILT_IN_FACTORIES = compileKnownFactories();

/** EIP-7702 accounts can swap their code after the signature; only a policy that lists the delegate allows one. */
export const noEip7702: PolicyRule = {
  name: 'noEip7702',
  check: ({ operation, hasEip7702Authorization, eip7702Delegate, policy }) => {
    if (!isEip7702(operation) && !hasEip7702Authorization) return pass('no delegation');
    if (eip7702Delegate && policy.policies.eip7702Delegates.has(eip7702Delegate.toLowerCase())) {
      return pass(`a policy lists ${eip7702Delegate}`);
    }
    return refuse(eip7702Delegate ?? factoryOf(operation)?.factory ?? 'eip7702Auth', {
      reason: 'EIP7702_NOT_SPONSORED',
      message: 'This EIP-7702 delegation is not sponsored: no policy lists its delegate',
    });
  },
};

export const deploymentSponsored: PolicyRule = {
  name: 'deploymentSponsored',
  check: (input) => {
    // A delegation is a deployment: the account gets its code.
    if (!factoryOf(input.operation) && !input.hasEip7702Authorization) return skip('no deployment');
    const { sponsorDeployments } = input.policy.settings;
    // The rules before this one refused if any of the calls is not sponsored.
    if (sponsorDeployments === 'always' || (sponsorDeployments === 'withCall' && callsOf(input).length > 0)) {
      return pass(`${sponsorDeployments}, ${callsOf(input).length} calls`);
    }
    return refuse(`${sponsorDeployments}, ${callsOf(input).length} calls`, {
      reason: 'DEPLOYMENT_NOT_SPONSORED',
      message:
        sponsorDeployments === 'never'
          ? 'Account deployments are not sponsored by this paymaster'
          : 'An account deployment is sponsored only together with a sponsored call',
    });
  },
};

export const factoryKnown: PolicyRule = {
  name: 'factoryKnown',
  check: (input) => {
    const deployment = factoryOf(input.operation);
    if (!deployment) return skip('no deployment');
    if (isEip7702(input.operation)) return skip('a delegation, no factory');
    if (input.policy.settings.allowUnknownFactories) return skip('unknown factories are allowed');
    const known = findFactory(input);
    if (!known) {
      return refuse(deployment.factory, {
        reason: 'UNKNOWN_ACCOUNT_FACTORY',
        message: `The account factory ${deployment.factory} is not a known one`,
      });
    }
    const unknownSetup = unknownSetupOf(input);
    if (unknownSetup === undefined) return pass(known.name);
    return refuse(unknownSetup, {
      reason: 'UNKNOWN_ACCOUNT_SETUP',
      message: `The account would be set up with something that is not known: ${unknownSetup}`,
    });
  },
};

/** With `requireKnownAccounts` on, a deployed account's code must be known; a new account's factory stands for it. */
export const accountKnown: PolicyRule = {
  name: 'accountKnown',
  check: (input) => {
    if (!input.policy.settings.requireKnownAccounts) return skip('not required');
    const isNew = factoryOf(input.operation) !== undefined;
    const known = isNew
      ? findFactory(input) !== undefined && unknownSetupOf(input) === undefined
      : input.accountImplementation?.known === true;
    if (known) return pass(isNew ? 'deployed by a known factory' : 'known implementation');
    return refuse(isNew ? 'not deployed by a known factory' : 'unknown implementation', {
      reason: 'UNKNOWN_ACCOUNT_IMPLEMENTATION',
      message: `The implementation of account ${input.operation.sender} is not a known one`,
    });
  },
};

function findFactory({ operation, knownFactories = BUILT_IN_FACTORIES }: EvaluationInput) {
  const deployment = factoryOf(operation);
  return deployment && knownFactories.get(deployment.factory.toLowerCase() as Address);
}

/** What of the account's setup is not known, or undefined; asked only where the factory is known. */
function unknownSetupOf(input: EvaluationInput): string | undefined {
  const deployment = factoryOf(input.operation);
  const factory = findFactory(input);
  return deployment && factory && explainUnknownSetup(factory.setup, deployment.factoryData);
}
