import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { rulesSentences, type Rules } from '../../policy/sentences';
import { useChain } from '../../shell/use-scope';
import { ArgumentRules } from './argument-rules';
import { AddressList, CoinInput, Rule, TimeInput } from './fields';
import { LimitRows, NEW_LIMIT } from './limit-rows';

interface Props {
  readonly rules: Rules;
  readonly onChange: (rules: Rules) => void;
}

/** Every rule of a RULES policy, each with a sentence beside it. */
export function RulesEditor({ rules, onChange }: Props) {
  const { symbol } = useChain();
  const set = (change: Partial<Rules>) => {
    const next = { ...rules, ...change };
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value != null)) as Rules);
  };
  const says = (part: Partial<Rules>) => rulesSentences(part as Rules, symbol).join(' ');
  const { senders, revertBreaker, limits, arguments: args } = rules;
  return (
    <Stack gap={0}>
      <Rule
        title="Limits"
        isOn={limits != null}
        onToggle={(isOn) => set({ limits: isOn ? [NEW_LIMIT] : null })}
        says={says({ limits: limits ?? [] })}
      >
        <LimitRows limits={limits ?? []} onChange={(next) => set({ limits: next.length > 0 ? next : null })} />
      </Rule>
      <Rule
        title="Accounts"
        isOn={senders != null}
        onToggle={(isOn) => set({ senders: isOn ? { deny: [] } : null })}
        says={senders?.allow?.length || senders?.deny?.length ? says({ senders }) : 'Every account may use it.'}
      >
        <AddressList
          label="Only these accounts (empty: all)"
          value={senders?.allow ?? []}
          onChange={(allow) =>
            set({ senders: { ...(senders?.deny && { deny: senders.deny }), ...(allow.length > 0 && { allow }) } })
          }
        />
        <AddressList
          label="Never these accounts"
          value={senders?.deny ?? []}
          onChange={(deny) => set({ senders: { ...(senders?.allow && { allow: senders.allow }), deny } })}
        />
      </Rule>
      <Rule
        title="Coin that a call sends"
        isOn={rules.maxCallValueWei != null}
        onToggle={(isOn) => set({ maxCallValueWei: isOn ? '0' : null })}
        says={says({ maxCallValueWei: rules.maxCallValueWei ?? null })}
      >
        <CoinInput
          label="At most"
          symbol={symbol}
          wei={rules.maxCallValueWei ?? '0'}
          onChange={(maxCallValueWei) => set({ maxCallValueWei })}
        />
      </Rule>
      <Rule
        title="Coin that an operation sends"
        isOn={rules.maxTotalValueWei != null}
        onToggle={(isOn) => set({ maxTotalValueWei: isOn ? '0' : null })}
        says={says({ maxTotalValueWei: rules.maxTotalValueWei ?? null })}
      >
        <CoinInput
          label="At most"
          symbol={symbol}
          wei={rules.maxTotalValueWei ?? '0'}
          onChange={(maxTotalValueWei) => set({ maxTotalValueWei })}
        />
      </Rule>
      <NumberRule
        title="Calls in one operation"
        label="At most so many calls"
        value={rules.maxCallsPerOperation}
        initial={5}
        min={1}
        max={128}
        onChange={(maxCallsPerOperation) => set({ maxCallsPerOperation })}
        says={says({ maxCallsPerOperation: rules.maxCallsPerOperation ?? null })}
      />
      <Rule
        title="Arguments of calls"
        isOn={args != null}
        onToggle={(isOn) => set({ arguments: isOn ? [] : null })}
        says={args?.length ? says({ arguments: args }) : 'No argument is looked at yet.'}
      >
        <ArgumentRules rules={args ?? []} onChange={(next) => set({ arguments: next })} />
      </Rule>
      <NumberRule
        title="Fee per gas"
        label="At most, in percent of the base fee"
        value={rules.maxFeePercentOfBaseFee}
        initial={300}
        min={100}
        max={100_000}
        suffix=" %"
        onChange={(maxFeePercentOfBaseFee) => set({ maxFeePercentOfBaseFee })}
        says={says({ maxFeePercentOfBaseFee: rules.maxFeePercentOfBaseFee ?? null })}
      />
      <NumberRule
        title="Gas limit of the calls"
        label="At most, in percent of the estimate"
        value={rules.maxCallGasPercentOfEstimate}
        initial={150}
        min={100}
        max={100_000}
        suffix=" %"
        onChange={(maxCallGasPercentOfEstimate) => set({ maxCallGasPercentOfEstimate })}
        says={says({ maxCallGasPercentOfEstimate: rules.maxCallGasPercentOfEstimate ?? null })}
      />
      <Rule
        title="Reverted operations"
        isOn={revertBreaker != null}
        onToggle={(isOn) =>
          set({ revertBreaker: isOn ? { maxRevertPercent: 20, minOperations: 50, windowMinutes: 60 } : null })
        }
        says={says({ revertBreaker: revertBreaker ?? null })}
      >
        {revertBreaker && (
          <Group grow align="flex-end">
            {BREAKER.map(({ name, label, min, max }) => (
              <NumberInput
                key={name}
                label={label}
                value={revertBreaker[name]}
                min={min}
                max={max}
                allowDecimal={false}
                onChange={(value) => set({ revertBreaker: { ...revertBreaker, [name]: Number(value) } })}
              />
            ))}
          </Group>
        )}
      </Rule>
      <Rule
        title="Account factories"
        isOn={rules.accountFactories != null}
        onToggle={(isOn) => set({ accountFactories: isOn ? [] : null })}
        says={says({ accountFactories: rules.accountFactories ?? null })}
      >
        <AddressList
          label="Factories"
          value={rules.accountFactories ?? []}
          onChange={(accountFactories) => set({ accountFactories })}
        />
      </Rule>
      <Rule
        title="Delegated accounts (EIP-7702)"
        isOn={rules.eip7702Delegates != null}
        onToggle={(isOn) => set({ eip7702Delegates: isOn ? [] : null })}
        says={says({ eip7702Delegates: rules.eip7702Delegates ?? null })}
      >
        <AddressList
          label="Delegates"
          value={rules.eip7702Delegates ?? []}
          onChange={(eip7702Delegates) => set({ eip7702Delegates })}
        />
      </Rule>
      <Rule
        title="When it is in force"
        isOn={rules.startsAt != null || rules.endsAt != null}
        onToggle={(isOn) => set(isOn ? { startsAt: Math.floor(Date.now() / 1_000) } : { startsAt: null, endsAt: null })}
        says={says({ startsAt: rules.startsAt ?? null, endsAt: rules.endsAt ?? null })}
      >
        <Group grow>
          <TimeInput label="From" seconds={rules.startsAt} onChange={(startsAt) => set({ startsAt })} />
          <TimeInput label="Until" seconds={rules.endsAt} onChange={(endsAt) => set({ endsAt })} />
        </Group>
      </Rule>
      <Group pt="md" align="flex-end">
        <NumberInput
          label="Priority"
          value={rules.priority ?? 100}
          min={0}
          max={10_000}
          allowDecimal={false}
          onChange={(value) => set({ priority: Number(value) })}
        />
        <Text size="sm" c="dimmed" flex="1 1 200px">
          Of several rules policies the one with the lowest number is asked first. The first that allows, decides.
        </Text>
        <Button variant="subtle" onClick={() => onChange({ priority: rules.priority ?? 100 })}>
          Remove all rules
        </Button>
      </Group>
    </Stack>
  );
}

const BREAKER = [
  { name: 'maxRevertPercent', label: 'Reverted, percent', min: 0, max: 100 },
  { name: 'minOperations', label: 'Of at least, operations', min: 1, max: 1_000_000 },
  { name: 'windowMinutes', label: 'Within, minutes', min: 1, max: 10_080 },
] as const;

interface NumberRuleProps {
  readonly title: string;
  readonly label: string;
  readonly value: number | null | undefined;
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  readonly suffix?: string;
  readonly says: string;
  readonly onChange: (value: number | null) => void;
}

function NumberRule({ title, label, value, initial, min, max, suffix, says, onChange }: NumberRuleProps) {
  return (
    <Rule title={title} isOn={value != null} onToggle={(isOn) => onChange(isOn ? initial : null)} says={says}>
      <NumberInput
        label={label}
        value={value ?? initial}
        min={min}
        max={max}
        allowDecimal={false}
        {...(suffix && { suffix })}
        onChange={(next) => next !== '' && onChange(Number(next))}
      />
    </Rule>
  );
}
