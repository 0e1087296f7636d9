import { Progress, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/queries';
import { groupedDecimal } from '../../format/amount';
import { spanOf } from '../../format/time';
import { usedPercent } from '../../policy/limit-use';
import { useChain } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';

/** Undefined while it is not known. */
interface Props {
  readonly price: Schemas['TokenPriceView'] | undefined;
}

/** What a token is worth now, how old that is, and which sources said so. */
export function PriceNow({ price }: Props) {
  if (!price) return <>not known</>;
  const { usd, problem, ageSeconds, sources, leftOut } = price;
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600} c={usd === null ? 'red' : undefined} className="numbers">
        {usd === null ? 'no price: quotes are refused' : `${groupedDecimal(usd)} USD`}
      </Text>
      <Text size="xs" c="dimmed" className="breaks">
        {[
          ageSeconds !== null && `${spanOf(Math.round(ageSeconds))} old`,
          sources.length > 0 && `from ${sources.join(', ')}`,
          leftOut.length > 0 && `left out: ${leftOut.join(', ')}`,
        ]
          .filter(Boolean)
          .join('; ')}
      </Text>
      {problem && (
        <Text size="xs" className="breaks">
          {problem}
        </Text>
      )}
    </Stack>
  );
}

/** What the wallet may lose by the token now, of the most that it may lose. */
export function Exposure({ price }: Props) {
  const { symbol } = useChain();
  if (!price) return <>not known</>;
  const { exposedWei, exposureCapWei } = price;
  const percent = usedPercent(exposedWei, exposureCapWei);
  return (
    <Stack gap={2}>
      <Text size="sm">
        <Amount wei={exposedWei} symbol={symbol} /> of <Amount wei={exposureCapWei} symbol={symbol} />
      </Text>
      <Progress
        value={percent}
        color={percent === 100 ? 'red' : 'cyan'}
        size="sm"
        aria-label={`${percent} % of what may be unpaid`}
      />
    </Stack>
  );
}
