import { normalizeAddress, ZERO_ADDRESS } from '@paymaster/domain';
import { ACCOUNT_ADAPTERS, CALLING_SELECTORS } from '../accounts/known-functions';
import type { InnerCall } from '../decode/decode-result';
import { setsUpAccount } from '../policies/eip7702';
import { callsOf, isWhitelisted, type EvaluationInput, type PolicyRule } from './evaluation-input';
import { pass, refuse, skip } from '../policies/verdict';

/** Deny by default: a paymaster that allows nothing sponsors nothing, and says so in words that SDKs look for. */
export const policiesSet: PolicyRule = {
  name: 'policiesSet',
  check: ({ policy: { settings, whitelistedMethodCount } }) => {
    const input = `${whitelistedMethodCount} whitelisted methods`;
    if (
      whitelistedMethodCount > 0 ||
      settings.sponsorAnyContract ||
      settings.sponsorNativeTransfers ||
      settings.sponsorDeployments === 'always'
    ) {
      return pass(input);
    }
    return refuse(input, {
      reason: 'NO_POLICIES_SET',
      // Load-bearing: SDK clients fall back to user-paid gas on "No policies were set".
      message: 'No policies were set on the dashboard. Please set policies to allow gas sponsorship via paymasters',
    });
  },
};

export const callDataUnderstood: PolicyRule = {
  name: 'callDataUnderstood',
  check: ({ decoded, policy }) => {
    if (decoded.understood) {
      const { shape, calls, suffixBytes } = decoded;
      const input = `${shape}, ${calls.length} calls`;
      if (suffixBytes === undefined) return pass(input);
      const suffixed = `${input}, ${suffixBytes} bytes behind them`;
      if (policy.settings.allowCallDataSuffix) return pass(suffixed);
      return refuse(suffixed, {
        reason: 'CALL_DATA_SUFFIX_NOT_SPONSORED',
        message:
          `callData has ${suffixBytes} bytes behind the arguments of the account function. ` +
          'The paymaster sponsors no such data',
      });
    }
    if (decoded.failure === 'DELEGATE_CALL') return pass(decoded.failure);
    return refuse(`${decoded.failure}: ${decoded.detail}`, {
      reason: 'CALL_DATA_NOT_UNDERSTOOD',
      message: `callData is not understood, so it is not sponsored: ${decoded.detail}`,
    });
  },
};

export const noDelegateCall: PolicyRule = {
  name: 'noDelegateCall',
  check: ({ decoded }) => {
    if (decoded.understood) return pass('calls only');
    return refuse(decoded.detail, {
      reason: 'DELEGATE_CALL_REFUSED',
      message: `Delegatecalls are not sponsored: ${decoded.detail}`,
    });
  },
};

export const somethingToSponsor: PolicyRule = {
  name: 'somethingToSponsor',
  check: (input) => {
    const { length } = callsOf(input);
    if (length > 0 || setsUpAccount(input.operation)) return pass(`${length} calls`);
    return refuse('no call and no deployment', {
      reason: 'NOTHING_TO_SPONSOR',
      message: 'The operation neither calls anything nor deploys its account',
    });
  },
};

/**
 * A call of the account to itself reaches what only the account may do: owners, modules, upgrades, or `execute`
 * with calls this library never saw. Only an explicit whitelist entry for the account's own address allows one,
 * and never to a function that forwards calls. The zero address counts as the account: Safe's MultiSend 1.5.0 and
 * ERC-7821 accounts replace it by the account itself. So do contracts that a
 * family calls its adapters, unless their method is whitelisted.
 */
export const noSelfCall: PolicyRule = {
  name: 'noSelfCall',
  check: (input) => {
    const sender = normalizeAddress(input.operation.sender);
    const found = callsOf(input).find((call) => {
      if (call.data === '0x') return false;
      if (call.to === ZERO_ADDRESS) return true;
      if (ACCOUNT_ADAPTERS.has(call.to)) return !isWhitelisted(input.policy, call);
      if (call.to !== sender) return false;
      return !isWhitelisted(input.policy, call) || (call.selector && CALLING_SELECTORS.has(call.selector));
    });
    if (!found) return pass('no call to the account itself');
    return refuse(describe(found), {
      reason: 'SELF_CALL_REFUSED',
      message: `Calls of the account to itself are not sponsored: ${describe(found)}`,
    });
  },
};

/**
 * Empty call data is a native transfer, whatever its value. Value sent along with an explicitly whitelisted method
 * is the account's own coin and fine. Where any contract is sponsored, nobody vouches for the method, so value
 * there is a transfer with four bytes for disguise.
 */
export const nativeTransfers: PolicyRule = {
  name: 'nativeTransfers',
  check: (input) => {
    const { policy } = input;
    if (policy.settings.sponsorNativeTransfers) return skip('sponsored');
    const found = callsOf(input).find((call) => {
      if (call.data === '0x') return true;
      return call.valueWei > 0n && policy.settings.sponsorAnyContract && !isWhitelisted(policy, call);
    });
    if (!found) return pass('none');
    return refuse(`${found.valueWei} wei to ${found.to}`, {
      reason: 'NATIVE_TRANSFER_NOT_SPONSORED',
      message: `Native transfers are not sponsored by this paymaster: a transfer to ${found.to}`,
    });
  },
};

export const contractsRegistered: PolicyRule = {
  name: 'contractsRegistered',
  check: (input) => {
    if (input.policy.settings.sponsorAnyContract) return skip('any contract is sponsored');
    const calls = methodCallsOf(input);
    const found = calls.find((call) => !input.policy.selectorsByContract.has(call.to));
    if (!found) return pass(`${calls.length} calls`);
    return refuse(found.to, {
      reason: 'CONTRACT_NOT_REGISTERED',
      // Load-bearing: SDK clients fall back to user-paid gas on "Smart contract data not found".
      message: `Smart contract data not found: ${found.to} is not registered with this paymaster`,
    });
  },
};

/** Data of one to three bytes names no method: it reaches a fallback function nobody whitelisted. */
export const methodsWhitelisted: PolicyRule = {
  name: 'methodsWhitelisted',
  check: (input) => {
    const { policy } = input;
    const calls = methodCallsOf(input);
    const found = calls.find((call) =>
      policy.settings.sponsorAnyContract ? call.selector === undefined : !isWhitelisted(policy, call),
    );
    if (!found) return pass(`${calls.length} calls`);
    const method = found.selector ? `method ${found.selector}` : 'call data shorter than a method selector';
    return refuse(describe(found), {
      reason: 'METHOD_NOT_WHITELISTED',
      message: `Not whitelisted: ${method} of contract ${found.to}`,
    });
  },
};

/** The calls that reach a method; the others are native transfers and have their own rule. */
function methodCallsOf(input: EvaluationInput): readonly InnerCall[] {
  return callsOf(input).filter((call) => call.data !== '0x');
}

function describe(call: InnerCall): string {
  return `${call.selector ?? call.data} of ${call.to}`;
}
