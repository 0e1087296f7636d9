import { Text } from '@mantine/core';
import { useContext } from 'react';
import { exactAmount, shortAmount } from '../format/amount';
import { exactTokenAmount, tokenAmount, type Token } from '../format/token';
import { usdOf } from '../format/usd';
import { CoinPrice } from './coin-price';
import { Tooltip } from './tooltip';

interface Props {
  readonly wei: string | bigint;
  readonly symbol: string;
  /** Beside it stands already what it is worth. */
  readonly withoutUsd?: boolean;
}

/** An amount of wei: rounded to read, exact on hover, and beside it what it is worth now where that is known. */
export function Amount({ wei, symbol, withoutUsd = false }: Props) {
  const usd = usdOf(wei, useContext(CoinPrice));
  const [digits, unit] = shortAmount(wei, symbol).split(' ');
  return (
    <>
      <Tooltip label={exactAmount(wei, symbol)}>
        <span className="numbers">
          {digits} <span className="unit">{unit}</span>
        </span>
      </Tooltip>
      {usd && !withoutUsd && ' '}
      {usd && !withoutUsd && (
        <Tooltip label="At the price of now">
          <Text span size="xs" c="dimmed" className="numbers usd">
            {usd}
          </Text>
        </Tooltip>
      )}
    </>
  );
}

/** An amount of a token, base units: cut off to read, exact on hover. */
export function TokenAmount({ amount, token }: { readonly amount: string; readonly token: Token }) {
  return (
    <Tooltip label={exactTokenAmount(amount, token)}>
      <span className="numbers">{tokenAmount(amount, token)}</span>
    </Tooltip>
  );
}
