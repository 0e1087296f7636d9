import type { NativeRuleName } from '@paymaster/domain';
import { delegateAllowed, factoryAllowed } from './account-rules';
import { argumentsAllowed } from './argument-rules';
import { callGasOfEstimate, feeOfBaseFee } from './gas-rules';
import type { NativeRule } from './native-rule';
import { revertRate } from './revert-breaker';
import { senderAllowed } from './sender-rules';
import { operationLimits } from './spending-limits';
import { policyInForce } from './time-rules';
import { callValue, totalValue } from './value-rules';

/** Who judges each native rule, in the order they are asked: what costs least first. */
export const JUDGES: Readonly<Record<NativeRuleName, NativeRule>> = {
  inForce: policyInForce,
  senders: senderAllowed,
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
