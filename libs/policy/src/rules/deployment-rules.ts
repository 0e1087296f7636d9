import { factoryOf, type Address } from '@paymaster/domain';
import { knownDelegate } from '../accounts/known-delegates';
import { knownFactoryOf } from '../accounts/known-accounts';
import { explainUnknownSetup, type KnownAccountFactory } from '../accounts/known-factories';
import { ERC7579_FUNCTIONS } from '../accounts/known-functions';
import { namesKnownValidator } from '../accounts/known-validators';
import { callsOf, type EvaluationInput, type PolicyRule } from './evaluation-input';
import { claimsEip7702Delegation, hasEip7702Marker, setsUpAccount } from '../policies/eip7702';
import { pass, refuse, skip, type Finding } from '../policies/verdict';

export const deploymentSponsored: PolicyRule = {
  name: 'deploymentSponsored',
  check: (input) => {
    // A new delegation is a deployment: the account gets its code.
    if (!setsUpAccount(input.operation)) return skip('no deployment');
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
    const verdict = judgeFactory(input, deployment.factory);
    // Only what is not known is let in by it: a known account is judged as without it.
    if (verdict.outcome === 'refuse' && input.policy.settings.allowUnknownFactories)
      return skip('unknown factories are allowed');
    return verdict;
  },
};

function judgeFactory(input: EvaluationInput, factory: Address): Finding {
  const known = findFactory(input);
  if (!known && !hasEip7702Marker(input.operation)) {
    return refuse(factory, {
      reason: 'UNKNOWN_ACCOUNT_FACTORY',
      message: listedFactory(input)
        ? `The chain has other code at the known account factory ${factory}, or that factory deploys other code now`
        : `The account factory ${factory} is not a known one`,
    });
  }
  const unknownSetup = unknownSetupOf(input);
  if (unknownSetup === undefined) {
    const name = known?.name ?? 'a delegation, no factory';
    return hasFunction(input, known?.shapes) ? pass(name) : refuseFunction(name);
  }
  return refuse(unknownSetup, {
    reason: 'UNKNOWN_ACCOUNT_SETUP',
    message: `The account would be set up with something that is not known: ${unknownSetup}`,
  });
}

/**
 * With `requireKnownAccounts` on, what a deployed account runs must be known: its implementation or its delegate. A new
 * account's factory stands for it.
 */
export const accountKnown: PolicyRule = {
  name: 'accountKnown',
  check: (input) => {
    if (!input.policy.settings.requireKnownAccounts) return skip('not required');
    const known = whatIsKnown(input);
    const { shapes } = (factoryOf(input.operation) ? findFactory(input) : input.accountImplementation) ?? {};
    if (known) return hasFunction(input, shapes) ? pass(known) : refuseFunction(known);
    const isNew = factoryOf(input.operation) !== undefined && !claimsEip7702Delegation(input.operation);
    return refuse(isNew ? 'not deployed by a known factory' : 'unknown implementation', {
      reason: 'UNKNOWN_ACCOUNT_IMPLEMENTATION',
      message: `The implementation of account ${input.operation.sender} is not a known one`,
    });
  },
};

/**
 * Where the nonce says how an account validates, it can name any code, and even have it installed as the account's own
 * before the calls are made. Only validators that do nothing else are sponsored. Whose nonce says nothing of the kind
 * may have any: parallel nonces are everybody's.
 */
export const validatorKnown: PolicyRule = {
  name: 'validatorKnown',
  check: (input) => {
    const { operation, decoded, accountImplementation, policy } = input;
    const { allowUnknownFactories, requireKnownAccounts } = policy.settings;
    const layout = accountImplementation?.nonceLayout ?? findFactory(input)?.nonceLayout;
    const isErc7579 = decoded.understood && ERC7579_FUNCTIONS.has(decoded.shape);
    if (!layout && !isErc7579) return skip('the nonce names no validator');
    if (namesKnownValidator(operation.nonce, layout)) return pass(layout ?? 'a known validator');
    if (allowUnknownFactories && !requireKnownAccounts) return skip('unknown code is allowed');
    const nonce = `0x${operation.nonce.toString(16)}`;
    return refuse(nonce, {
      reason: 'UNKNOWN_ACCOUNT_VALIDATOR',
      message: `The nonce ${nonce} names a validator or a mode of validation that is not known`,
    });
  },
};

/**
 * Whether the account has the function itself. What it does not have many accounts hand to a module of the caller's
 * choice, which the first signature may install.
 *
 * @param shapes of the account's family; left out where nobody has to say
 */
function hasFunction({ decoded }: EvaluationInput, shapes: ReadonlySet<string> | undefined): boolean {
  return !shapes || (decoded.understood && shapes.has(decoded.shape));
}

function refuseFunction(name: string) {
  return refuse(`no such function: ${name}`, {
    reason: 'CALL_DATA_NOT_UNDERSTOOD',
    message: `callData is not understood, so it is not sponsored: the account (${name}) has no such function`,
  });
}

/** Why an account counts as known, or undefined. */
function whatIsKnown(input: EvaluationInput): string | undefined {
  const { operation, eip7702Delegate, accountImplementation, knownAccounts } = input;
  const setupKnown = unknownSetupOf(input) === undefined;
  if (eip7702Delegate) return setupKnown ? knownDelegate(eip7702Delegate, knownAccounts?.delegates)?.name : undefined;
  if (factoryOf(operation)) return findFactory(input) && setupKnown ? 'deployed by a known factory' : undefined;
  return accountImplementation?.known === true ? 'known implementation' : undefined;
}

/** The operation's factory, if it is known and the chain has what the family says. */
function findFactory(input: EvaluationInput): KnownAccountFactory | undefined {
  const listed = listedFactory(input);
  return listed?.onChain && !input.isPublishedFactory ? undefined : listed;
}

/** The known factory at the address of the operation's, whatever the chain has there. */
function listedFactory({ operation, knownAccounts }: EvaluationInput): KnownAccountFactory | undefined {
  return knownFactoryOf(operation, knownAccounts);
}

/** What of the account's setup is not known, or undefined. Of a factory that is not known nobody asks. */
function unknownSetupOf(input: EvaluationInput): string | undefined {
  const deployment = factoryOf(input.operation);
  // Stryker disable next-line ConditionalExpression: without a factory there is no marker, and no factory is found below
  if (!deployment) return undefined;
  if (hasEip7702Marker(input.operation)) {
    // The EntryPoint calls the account with what stands behind the marker, before it validates.
    return deployment.factoryData === '0x' ? undefined : 'a call to the delegate before the first validation';
  }
  const factory = findFactory(input);
  return factory && explainUnknownSetup(factory, deployment.factoryData);
}
