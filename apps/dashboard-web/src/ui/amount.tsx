import { Tooltip } from '@mantine/core';
import { exactAmount, shortAmount } from '../format/amount';

/** An amount of wei: rounded to read, exact on hover. */
export function Amount({ wei, symbol }: { readonly wei: string | bigint; readonly symbol: string }) {
  return (
    <Tooltip label={exactAmount(wei, symbol)}>
      <span className="numbers">{shortAmount(wei, symbol)}</span>
    </Tooltip>
  );
}
