import { pass, refuse, type Finding } from './verdict';
import type { NativeRule } from './native-rule';

/** What any one call may send. */
export const callValue: NativeRule = {
  name: 'callValue',
  compile: ({ maxCallValueWei: capWei }) =>
    capWei === null
      ? undefined
      : ({ calls }) => {
          // Stryker disable next-line EqualityOperator: either of two equal values is the same value
          const most = calls.reduce((most, { valueWei }) => (valueWei > most ? valueWei : most), 0n);
          return atMostValue(most, capWei, 'One of the calls sends more native coin than is sponsored');
        },
};

/** What all calls together may send. */
export const totalValue: NativeRule = {
  name: 'totalValue',
  compile: ({ maxTotalValueWei: capWei }) =>
    capWei === null
      ? undefined
      : ({ calls }) => {
          const total = calls.reduce((sum, { valueWei }) => sum + valueWei, 0n);
          return atMostValue(total, capWei, 'The calls send more native coin than is sponsored');
        },
};

function atMostValue(valueWei: bigint, capWei: bigint, message: string): Finding {
  const input = `${valueWei} <= ${capWei} wei`;
  if (valueWei <= capWei) return pass(input);
  return refuse(input, {
    reason: 'VALUE_TOO_HIGH',
    message,
    details: { value: valueWei.toString(), limit: capWei.toString() },
  });
}
