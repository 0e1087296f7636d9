import { Button, Group, NativeSelect, NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { policiesQuery, type Schemas } from '../../api/queries';
import { linesOf } from '../../audit/lines-of';
import {
  draftOf,
  emptyData,
  fieldsOf,
  POLICY_TYPES,
  type Draft,
  type PolicyData,
  type PolicyType,
} from '../../policy/policy-draft';
import { cycleSentence, type Rules } from '../../policy/sentences';
import { useChain, useScope } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { Problem } from '../../ui/problem';
import { BackTest } from './back-test';
import { DeletedMeanwhile } from './deleted-meanwhile';
import { RulesEditor } from './rules-editor';
import { useEdited } from './use-edited';

type Policy = Schemas['PolicyView'];

interface Props {
  /** The policy that is changed, as it is stored now; a new one where it is left out. */
  readonly policy?: Policy | undefined;
  /** Somebody deleted the policy after the reader began to edit it. */
  readonly isGone?: boolean;
  readonly onDone: () => void;
}

/** Edits a policy, tries it on what happened, and saves it. */
export function PolicyEditor({ policy: stored, isGone = false, onDone }: Props) {
  const scope = useScope();
  const queries = useQueryClient();
  const { symbol } = useChain();
  const edited = useEdited<Policy, Draft>({
    ...{ stored, isGone, draftOf },
    fresh: () => ({ name: '', policyType: 'RULES', policyData: emptyData('RULES') }),
  });
  const { draft, setDraft, from: policy, isOld } = edited;
  const { name, policyType, policyData } = draft;
  const save = useMutation({
    mutationFn: () => {
      const headers = headersOf(scope);
      if (!policy) {
        return contentOf(api.POST(`${SDK}/paymaster-policy`, { headers, body: { ...draft, name: name.trim() } }));
      }
      const params = { path: { policyId: policy._id } };
      const body = { name: name.trim(), policyData, expectedVersion: policy.version };
      return contentOf(api.PATCH(`${SDK}/paymaster-policy/{policyId}`, { params, headers, body }));
    },
    onSuccess: async (saved) => {
      edited.saved(saved);
      await queries.invalidateQueries({ queryKey: policiesQuery(scope).queryKey });
      onDone();
    },
    onError: (error) => {
      const isOther = error instanceof ApiError && (error.status === 404 || error.status === 409);
      return isOther ? queries.invalidateQueries({ queryKey: policiesQuery(scope).queryKey }) : undefined;
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          placeholder="Ten a day"
          value={name}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          required
          maxLength={100}
        />
        {!policy && (
          <Radio.Group
            label="Kind"
            value={policyType}
            onChange={(value) =>
              setDraft({ ...draft, policyType: value as PolicyType, policyData: emptyData(value as PolicyType) })
            }
          >
            <Stack gap={6} mt={4}>
              {POLICY_TYPES.map(({ value, label, says }) => (
                <Radio key={value} value={value} label={label} description={says} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <Data key={edited.round} draft={draft} onChange={(data) => setDraft({ ...draft, policyData: data })} />
        {(policyType === 'RULES' || policyType === 'PAYMASTER_SA_LIMIT') && (
          <BackTest policyType={policyType} policyData={policyData} />
        )}
        {isGone && <DeletedMeanwhile />}
        {isOld && policy && stored && (
          <ChangedMeanwhile
            start={fieldsOf(draftOf(policy))}
            stored={fieldsOf(draftOf(stored))}
            mine={fieldsOf(draft)}
            linesOf={({ name: named, ...data }) =>
              linesOf('policy', { name: named, active: stored.active, policyType, policyData: data }, symbol)
            }
            onChoose={({ name: named, ...data }) => {
              edited.choose({ name: named, policyType, policyData: data as PolicyData });
              save.reset();
            }}
          />
        )}
        {save.error && !isOld && !isGone && <Problem error={save.error} what="The policy was not saved" />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={name.trim() === '' || isOld}>
            {policy ? 'Save the policy' : 'Make the policy'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface DataProps {
  readonly draft: Draft;
  readonly onChange: (data: Draft['policyData']) => void;
}

function Data({ draft: { policyType, policyData }, onChange }: DataProps) {
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
  }
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
