import { Group, List, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/queries';
import type { Draft, PolicyData } from '../../policy/policy-draft';
import { cycleSentence, sentencesOf, type Rules } from '../../policy/sentences';
import { useChain } from '../../shell/use-scope';
import { LimitRows } from './limit-rows';
import { RulesEditor } from './rules-editor';

interface Props {
  readonly draft: Draft;
  readonly onChange: (data: PolicyData) => void;
}

/** What can be set of a policy of its kind. */
export function PolicyFields({ draft: { policyType, policyData }, onChange }: Props) {
  switch (policyType) {
    case 'RULES':
      return <RulesEditor rules={policyData as Rules} onChange={onChange} />;
    case 'PAYMASTER_SA_LIMIT':
      return <CycleEditor limit={policyData as Schemas['CycleLimitDto']} onChange={onChange} />;
    case 'WALLET_DEPLOYMENT':
      return <Text size="sm">There is nothing to set. While it is active, deployments are sponsored.</Text>;
    case 'WEBHOOK':
      return (
        <TextInput
          label="URL of your server"
          description='https only. It answers { "arePoliciesVerified": true } within 3 seconds, else the operation is refused.'
          type="url"
          value={(policyData as Schemas['DecisionWebhookDto']).url}
          onChange={(event) => onChange({ url: event.currentTarget.value })}
          required
        />
      );
    case 'SPENDING_LIMITS':
      return <SpendingLimitsEditor spending={policyData as Schemas['SpendingLimitsDto']} onChange={onChange} />;
  }
}

interface SpendingLimitsProps {
  readonly spending: Schemas['SpendingLimitsDto'];
  readonly onChange: (spending: Schemas['SpendingLimitsDto']) => void;
}

function SpendingLimitsEditor({ spending, onChange }: SpendingLimitsProps) {
  const { symbol } = useChain();
  return (
    <Stack gap="xs">
      <LimitRows
        limits={spending.limits}
        onChange={(limits) => onChange({ limits: limits as typeof spending.limits })}
        scopes={['USER', 'PAYMASTER']}
      />
      <List size="sm" c="dimmed" aria-live="polite">
        {sentencesOf('SPENDING_LIMITS', spending, symbol).map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </Stack>
  );
}

interface CycleProps {
  readonly limit: Schemas['CycleLimitDto'];
  readonly onChange: (limit: Schemas['CycleLimitDto']) => void;
}

function CycleEditor({ limit, onChange }: CycleProps) {
  const { symbol } = useChain();
  const { type, thresholdType, threshold, cycleDuration } = limit;
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <NativeSelect
          label="For"
          value={type}
          data={[
            { value: 'SMART_ACCOUNT', label: 'each account' },
            { value: 'PAYMASTER', label: 'all together' },
          ]}
          onChange={(event) => onChange({ ...limit, type: event.currentTarget.value as typeof type })}
        />
        <TextInput
          label="At most"
          value={String(threshold)}
          inputMode="decimal"
          onChange={(event) => onChange({ ...limit, threshold: event.currentTarget.value })}
          w={120}
        />
        <NativeSelect
          label="Of"
          value={thresholdType}
          data={[
            { value: 'COUNT', label: 'operations' },
            { value: 'NATIVE_ASSET', label: `${symbol} of gas` },
          ]}
          onChange={(event) => onChange({ ...limit, thresholdType: event.currentTarget.value as typeof thresholdType })}
        />
        <NumberInput
          label="In every"
          value={cycleDuration.value}
          min={1}
          allowDecimal={false}
          onChange={(value) => onChange({ ...limit, cycleDuration: { ...cycleDuration, value: Number(value) } })}
          w={90}
        />
        <NativeSelect
          label="Unit"
          value={cycleDuration.unit}
          data={[
            { value: 'hour', label: 'hours' },
            { value: 'day', label: 'days' },
          ]}
          onChange={(event) =>
            onChange({
              ...limit,
              cycleDuration: { ...cycleDuration, unit: event.currentTarget.value as 'hour' | 'day' },
            })
          }
        />
      </Group>
      <Text size="sm" c="dimmed" aria-live="polite">
        {cycleSentence(limit, symbol)}
      </Text>
    </Stack>
  );
}
