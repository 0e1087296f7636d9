import { factoryOf, type Address } from '@paymaster/domain';
import { compileKnownFactories } from '../accounts/known-account-factories';
import { explainUnknownSetup } from '../accounts/explain-unknown-setup';
import { callsOf, type EvaluationInput, type PolicyRule } from './evaluation-input';
import { pass, refuse, skip } from './verdict';

/** `0x7702` padded to 20 bytes: the factory that stands for an EIP-7702 delegation (EntryPoint v0.8). */
export const EIP7702_MARKER: Address = '0x7702000000000000000000000000000000000000';
/** The same, unpadded, as some clients send it. */
const SHORT_EIP7702_MARKER = '0x7702';

const BUILT_IN_FACTORIES = compileKnownFactories();

/** EIP-7702 accounts can swap their code after the signature; a later release binds the delegate. */
export const noEip7702: PolicyRule = {
  name: 'noEip7702',
  check: ({ operation, hasEip7702Authorization }) => {
    const factory = factoryOf(operation)?.factory.toLowerCase();
    if (factory !== EIP7702_MARKER && factory !== SHORT_EIP7702_MARKER && !hasEip7702Authorization) {
      return pass('no delegation');
    }
    return refuse(factory ?? 'eip7702Auth', {
      reason: 'EIP7702_NOT_SPONSORED',
      message: 'EIP-7702 delegations are not sponsored yet',
    });
  },
};

export const deploymentSponsored: PolicyRule = {
  name: 'deploymentSponsored',
  check: (input) => {
    if (!factoryOf(input.operation)) return skip('no deployment');
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
