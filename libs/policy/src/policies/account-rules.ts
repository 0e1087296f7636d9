import { factoryOf, normalizeAddress } from '@paymaster/domain';
import { claimsEip7702Delegation, hasEip7702Marker } from './eip7702';
import { pass, refuse, skip } from './verdict';
import { addressSet, type NativeRule } from './native-rule';

/** Which code accounts may run by EIP-7702. A policy that lists none sponsors no such operation. */
export const delegateAllowed: NativeRule = {
  name: 'eip7702Delegates',
  compile: ({ eip7702Delegates }) => {
    // Stryker disable next-line ArrayDeclaration: what the mutant lists is no address, so no delegate equals it
    const delegates = addressSet(eip7702Delegates ?? []);
    return ({ operation, eip7702Delegate }) => {
      if (eip7702Delegate === undefined && !claimsEip7702Delegation(operation)) return skip('no delegation');
      const delegate = eip7702Delegate && normalizeAddress(eip7702Delegate);
      if (delegate && delegates.has(delegate)) return pass(delegate);
      return refuse(delegate ?? 'unknown delegate', {
        reason: 'DELEGATE_NOT_ALLOWED',
        message: `Accounts that delegate to ${delegate ?? 'an unknown contract'} are not sponsored`,
      });
    };
  },
};

/** Which factories may deploy accounts; besides being known, unless unknown ones are allowed. */
export const factoryAllowed: NativeRule = {
  name: 'accountFactories',
  compile: ({ accountFactories }) => {
    if (accountFactories === null) return undefined;
    const factories = addressSet(accountFactories);
    return ({ operation }) => {
      const deployment = factoryOf(operation);
      if (!deployment || hasEip7702Marker(operation)) return skip('no deployment');
      const factory = normalizeAddress(deployment.factory);
      if (factories.has(factory)) return pass(factory);
      return refuse(factory, {
        reason: 'FACTORY_NOT_ALLOWED',
        message: `Accounts of factory ${factory} are not sponsored`,
      });
    };
  },
};
