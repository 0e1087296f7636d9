import { pass, refuse } from './verdict';
import type { NativeRule } from './native-rule';

/** Stops sponsoring while too many of the recent operations reverted: useless operations cost as much as useful ones. */
export const revertRate: NativeRule = {
  name: 'revertBreaker',
  compile: ({ revertBreaker }) => {
    if (!revertBreaker) return undefined;
    const { maxRevertPercent, minOperations, windowMinutes } = revertBreaker;
    return ({ outcomes }) => {
      const recent = outcomes.get(windowMinutes);
      const input = recent
        ? `${recent.reverted} of ${recent.landed} reverted in ${windowMinutes} minutes`
        : 'outcomes are not known';
      // Fail closed: a rate that is not known is none that is low enough.
      const calm =
        recent !== undefined &&
        (recent.landed < minOperations || recent.reverted * 100 <= recent.landed * maxRevertPercent);
      if (calm) return pass(input);
      return refuse(input, {
        reason: 'REVERT_RATE_TOO_HIGH',
        message: 'Too many of the latest sponsored operations reverted, so sponsoring is paused for now',
        details: { value: input, limit: `${maxRevertPercent} %` },
      });
    };
  },
};
