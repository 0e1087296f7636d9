import { pass, refuse, skip } from './verdict';
import type { NativeRule } from './native-rule';

/** A ceiling on the gas price that follows the market: percent of the pending block's base fee. */
export const feeOfBaseFee: NativeRule = {
  name: 'maxFeePercentOfBaseFee',
  compile: ({ maxFeePercentOfBaseFee: percent }) =>
    percent === null
      ? undefined
      : ({ operation: { maxFeePerGas }, baseFeePerGas }) => {
          const limit = (baseFeePerGas * BigInt(percent)) / 100n;
          const input = `${maxFeePerGas} <= ${limit}`;
          if (maxFeePerGas <= limit) return pass(input);
          return refuse(input, {
            reason: 'MAX_FEE_PER_GAS_TOO_HIGH',
            message: 'maxFeePerGas is too far above the base fee to be sponsored',
            details: { field: 'maxFeePerGas', value: maxFeePerGas.toString(), limit: limit.toString() },
            isPublic: true,
          });
        },
};

/** Limits far above what the calls need reserve money for nothing. Our own estimate is always allowed. */
export const callGasOfEstimate: NativeRule = {
  name: 'maxCallGasPercentOfEstimate',
  compile: ({ maxCallGasPercentOfEstimate: percent }) =>
    percent === null
      ? undefined
      : ({ operation: { callGasLimit }, costs }) => {
          if (!costs) return skip('not estimated yet');
          const { estimatedCallGas } = costs;
          const scaled = (estimatedCallGas * BigInt(percent)) / 100n;
          // Stryker disable next-line EqualityOperator: either of two equal limits is the same limit
          const limit = scaled > estimatedCallGas ? scaled : estimatedCallGas;
          const input = `${callGasLimit} <= ${limit}`;
          if (callGasLimit <= limit) return pass(input);
          return refuse(input, {
            reason: 'CALL_GAS_ABOVE_ESTIMATE',
            message: 'callGasLimit is far above what the calls need',
            details: { field: 'callGasLimit', value: callGasLimit.toString(), limit: limit.toString() },
            isPublic: true,
          });
        },
};
