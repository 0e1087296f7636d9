import { pass, refuse } from './verdict';
import type { NativeRule } from './native-rule';

/** From `startsAt` until before `endsAt`, by the chain's clock. */
export const policyInForce: NativeRule = {
  name: 'inForce',
  compile: ({ startsAtSeconds, endsAtSeconds }) => {
    if (startsAtSeconds === null && endsAtSeconds === null) return undefined;
    return ({ nowSeconds }) => {
      const input = `${startsAtSeconds ?? 'always'} <= ${nowSeconds} < ${endsAtSeconds ?? 'ever'}`;
      // Stryker disable next-line ConditionalExpression: null compares as 0, and no time on chain is before that
      const begun = startsAtSeconds === null || nowSeconds >= startsAtSeconds;
      const over = endsAtSeconds !== null && nowSeconds >= endsAtSeconds;
      if (begun && !over) return pass(input);
      return refuse(input, {
        reason: 'POLICY_NOT_IN_FORCE',
        message: begun
          ? 'The policy that would sponsor the operation has ended'
          : 'The policy that would sponsor the operation has not started yet',
        details: { startsAt: String(startsAtSeconds), endsAt: String(endsAtSeconds) },
      });
    };
  },
};
