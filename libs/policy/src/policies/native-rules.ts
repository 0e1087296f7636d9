import type { NativeRuleName } from '@paymaster/domain';
import { delegateAllowed, factoryAllowed } from './account-rules';
import { argumentsAllowed } from './argument-rules';
import { callGasOfEstimate, feeOfBaseFee } from './gas-rules';
import type { NativeRule } from './native-rule';
import { revertRate } from './revert-breaker';
import { senderAllowed } from './sender-rules';
import { operationLimits } from './spending-limits';
import { policyInForce } from './time-rules';
import { pass, refuse } from './verdict';
import { callValue, totalValue } from './value-rules';

/** How many calls one operation may make. */
const numberOfCalls: NativeRule = {
  name: 'maxCallsPerOperation',
  compile: ({ maxCallsPerOperation: most }) =>
    most === null
      ? undefined
      : ({ calls }) => {
          const input = `${calls.length} <= ${most} calls`;
          if (calls.length <= most) return pass(input);
          return refuse(input, {
            reason: 'TOO_MANY_CALLS',
            message: 'The operation makes more calls than are sponsored in one operation',
            details: { value: String(calls.length), limit: String(most) },
          });
        },
};

/** Who judges each native rule, in the order they are asked: what costs least first. */
export const JUDGES: Readonly<Record<NativeRuleName, NativeRule>> = {
  inForce: policyInForce,
  senders: senderAllowed,
  maxCallsPerOperation: numberOfCalls,
  maxCallValueWei: callValue,
  maxTotalValueWei: totalValue,
  arguments: argumentsAllowed,
  eip7702Delegates: delegateAllowed,
  accountFactories: factoryAllowed,
  maxFeePercentOfBaseFee: feeOfBaseFee,
  revertBreaker: revertRate,
  maxCallGasPercentOfEstimate: callGasOfEstimate,
  limits: operationLimits,
};
