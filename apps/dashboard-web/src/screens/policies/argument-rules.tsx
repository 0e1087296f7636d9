import { Button, Group, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { methodsOf } from '../../abi/read-abi';
import { contractsQuery, type Schemas } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { Removable } from './fields';
import type { Abi } from 'viem';

type ArgumentRule = Schemas['ArgumentRuleDto'];

interface Props {
  readonly rules: readonly ArgumentRule[];
  readonly onChange: (rules: ArgumentRule[]) => void;
}

const OPERATORS: readonly { value: ArgumentRule['operator']; label: string }[] = [
  { value: 'EQ', label: 'is' },
  { value: 'NEQ', label: 'is not' },
  { value: 'LT', label: 'is less than' },
  { value: 'LTE', label: 'is at most' },
  { value: 'GT', label: 'is more than' },
  { value: 'GTE', label: 'is at least' },
  { value: 'IN', label: 'is one of' },
  { value: 'NOT_IN', label: 'is none of' },
];

/** Conditions on the arguments of registered methods. */
export function ArgumentRules({ rules, onChange }: Props) {
  const { data: contracts = [] } = useQuery(contractsQuery(useScope()));
  const choices = contracts.flatMap((contract) =>
    readMethods(contract.abi).map(({ signature }) => ({
      value: `${contract.address} ${signature}`,
      label: `${contract.name}: ${signature}`,
    })),
  );
  const [first] = choices;
  if (!first) return <Text size="sm">Register a contract first: its methods have the arguments.</Text>;
  const replace = (index: number, next: ArgumentRule) =>
    onChange(rules.map((each, at) => (at === index ? next : each)));
  return (
    <Stack gap="sm">
      {rules.map((rule, index) => (
        <Removable
          key={index}
          label={`Remove condition ${index + 1}`}
          onRemove={() => onChange(rules.filter((_, at) => at !== index))}
        >
          <NativeSelect
            label="Method"
            value={`${rule.contract} ${rule.method}`}
            data={choices}
            onChange={(event) => replace(index, { ...rule, ...chosen(event.currentTarget.value) })}
            maw="100%"
          />
          <NumberInput
            label="Argument"
            value={rule.index + 1}
            min={1}
            max={256}
            allowDecimal={false}
            onChange={(value) => replace(index, { ...rule, index: Math.max(0, Number(value) - 1) })}
            w={90}
          />
          <NativeSelect
            label="Must be"
            value={rule.operator}
            data={[...OPERATORS]}
            onChange={(event) =>
              replace(index, { ...rule, operator: event.currentTarget.value as ArgumentRule['operator'] })
            }
          />
          <TextInput
            label={isList(rule.operator) ? 'Values, with commas' : 'Value'}
            value={Array.isArray(rule.value) ? rule.value.join(',') : String(rule.value)}
            onChange={(event) => {
              const { value } = event.currentTarget;
              replace(index, {
                ...rule,
                value: isList(rule.operator) ? value.split(',').map((each) => each.trim()) : value,
              });
            }}
          />
        </Removable>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange([...rules, { ...chosen(first.value), index: 0, operator: 'LTE', value: '1' }])}
        >
          Add a condition
        </Button>
      </Group>
    </Stack>
  );
}

function chosen(value: string): { contract: string; method: string } {
  const [contract = '', method = ''] = value.split(' ');
  return { contract, method };
}

function isList(operator: ArgumentRule['operator']): boolean {
  return operator === 'IN' || operator === 'NOT_IN';
}

function readMethods(abi: string) {
  try {
    return methodsOf(JSON.parse(abi) as Abi);
  } catch {
    return [];
  }
}
