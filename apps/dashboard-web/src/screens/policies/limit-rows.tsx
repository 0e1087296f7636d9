import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { Limit } from '../../policy/sentences';
import { useChain } from '../../shell/use-scope';
import { CoinInput, Removable } from './fields';

export const NEW_LIMIT: Limit = { scope: 'USER', measure: 'COUNT', amount: '10', cycle: 'DAY' };
const SCOPES = [
  { value: 'USER', label: 'each account' },
  { value: 'PAYMASTER', label: 'all together' },
  { value: 'OPERATION', label: 'one operation' },
] as const;

interface Props {
  readonly limits: readonly Limit[];
  readonly onChange: (limits: Limit[]) => void;
  /** For whom a limit can be; everything that there is where it is left out. */
  readonly scopes?: readonly Limit['scope'][];
  readonly most?: number;
}

/** Limits: for whom, of what, how much, how often. */
export function LimitRows({ limits, onChange, scopes = ['USER', 'PAYMASTER', 'OPERATION'], most = 20 }: Props) {
  const { symbol } = useChain();
  const replace = (index: number, next: Limit) => onChange(limits.map((each, at) => (at === index ? next : each)));
  return (
    <Stack gap="sm">
      {limits.map((limit, index) => (
        <Removable
          key={index}
          label={`Remove limit ${index + 1}`}
          onRemove={() => onChange(limits.filter((_, at) => at !== index))}
        >
          <NativeSelect
            label="For"
            value={limit.scope}
            data={SCOPES.filter(({ value }) => scopes.includes(value))}
            onChange={(event) => replace(index, scoped(limit, event.currentTarget.value as Limit['scope']))}
          />
          <NativeSelect
            label="Of"
            value={limit.measure}
            data={[
              ...(limit.scope === 'OPERATION' ? [] : [{ value: 'COUNT', label: 'operations' }]),
              { value: 'USD', label: 'USD of gas' },
              { value: 'WEI', label: `${symbol} of gas` },
            ]}
            onChange={(event) =>
              replace(index, { ...limit, measure: event.currentTarget.value as Limit['measure'], amount: '1' })
            }
          />
          {limit.measure === 'WEI' ? (
            <CoinInput
              label="At most"
              symbol={symbol}
              wei={String(limit.amount)}
              onChange={(amount) => replace(index, { ...limit, amount })}
            />
          ) : (
            <TextInput
              label={limit.measure === 'USD' ? 'At most, in USD' : 'At most'}
              value={String(limit.amount)}
              inputMode="decimal"
              onChange={(event) => replace(index, { ...limit, amount: event.currentTarget.value })}
              w={130}
            />
          )}
          {limit.scope !== 'OPERATION' && (
            <NativeSelect
              label="In each"
              value={limit.cycle ?? 'DAY'}
              data={[
                { value: 'HOUR', label: 'hour' },
                { value: 'DAY', label: 'day' },
                { value: 'WEEK', label: 'week' },
                { value: 'MONTH', label: 'month' },
                { value: 'LIFETIME', label: 'lifetime' },
              ]}
              onChange={(event) =>
                replace(index, { ...limit, cycle: event.currentTarget.value as NonNullable<Limit['cycle']> })
              }
            />
          )}
        </Removable>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          disabled={limits.length >= most}
          onClick={() => onChange([...limits, NEW_LIMIT])}
        >
          Add a limit
        </Button>
      </Group>
    </Stack>
  );
}

/** A limit of one operation has no cycle and counts gas. */
function scoped({ cycle, ...limit }: Limit, scope: Limit['scope']): Limit {
  if (scope !== 'OPERATION') return { ...limit, scope, cycle: cycle ?? 'DAY' };
  return { ...limit, scope, measure: limit.measure === 'COUNT' ? 'USD' : limit.measure };
}
