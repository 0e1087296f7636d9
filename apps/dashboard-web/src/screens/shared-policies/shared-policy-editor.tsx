import { Button, Checkbox, Group, List, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { sharedPoliciesQuery, sharingPaymastersQuery } from '../../api/queries';
import { linesOf } from '../../audit/lines-of';
import { sentencesOf, type Limit, type Rules } from '../../policy/sentences';
import { OfPaymaster, useScope } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { Problem } from '../../ui/problem';
import { DeletedMeanwhile } from '../policies/deleted-meanwhile';
import { LimitRows } from '../policies/limit-rows';
import { RulesEditor } from '../policies/rules-editor';
import { useEdited } from '../policies/use-edited';
import {
  draftOf,
  emptyShared,
  fieldsOf,
  SHARED_TYPES,
  type SharedDraft,
  type SharedPolicy,
  type SharedType,
} from './shared-draft';
import { useSharing } from './use-sharing';

interface Props {
  /** The policy that is changed, as it is stored now; a new one where it is left out. */
  readonly policy?: SharedPolicy | undefined;
  readonly isGone: boolean;
  readonly onDone: () => void;
}

/** Edits a policy that several paymasters share, and says which. */
export function SharedPolicyEditor({ policy: stored, isGone, onDone }: Props) {
  const { accountId } = useScope();
  const queries = useQueryClient();
  const { paymasters, coinOf } = useSharing();
  const edited = useEdited<SharedPolicy, SharedDraft>({
    ...{ stored, isGone, draftOf },
    fresh: () => ({
      ...{ name: '', policyType: 'SPENDING_LIMITS', paymasterIds: [] },
      policyData: emptyShared('SPENDING_LIMITS'),
    }),
  });
  const { draft, setDraft, from: policy, isOld } = edited;
  const { name, policyType, policyData, paymasterIds } = draft;
  const symbol = coinOf(paymasterIds);
  const readAgain = () =>
    Promise.all(
      [sharedPoliciesQuery(accountId), sharingPaymastersQuery(accountId)].map(({ queryKey }) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
  const save = useMutation({
    mutationFn: () => {
      const headers = headersOf({ accountId });
      const body = { name: name.trim(), policyData, paymasterIds: [...paymasterIds] };
      if (!policy) return contentOf(api.POST(`${SDK}/shared-policy`, { headers, body: { ...body, policyType } }));
      const params = { path: { policyId: policy.policyId } };
      return contentOf(
        api.PATCH(`${SDK}/shared-policy/{policyId}`, {
          params,
          headers,
          body: { ...body, expectedVersion: policy.version },
        }),
      );
    },
    onSuccess: async (saved) => {
      edited.saved(saved);
      await readAgain();
      onDone();
    },
    onError: (error) =>
      error instanceof ApiError && (error.status === 404 || error.status === 409) ? readAgain() : undefined,
  });
  const onData = (data: object) => setDraft({ ...draft, policyData: data as SharedDraft['policyData'] });
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
          placeholder="Budget of all chains"
          value={name}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          required
          maxLength={100}
        />
        <Checkbox.Group
          label="Paymasters that share it"
          description="Its budgets count over all of them. Budgets over several chains are in USD or count operations."
          value={[...paymasterIds]}
          onChange={(chosen) => setDraft({ ...draft, paymasterIds: chosen })}
        >
          <Stack gap={6} mt={4}>
            {paymasters.map(({ paymasterId, label }) => (
              <Checkbox key={paymasterId} value={paymasterId} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        {!policy && (
          <Radio.Group
            label="Kind"
            value={policyType}
            onChange={(value) =>
              setDraft({ ...draft, policyType: value as SharedType, policyData: emptyShared(value as SharedType) })
            }
          >
            <Stack gap={6} mt={4}>
              {SHARED_TYPES.map(({ value, label, says }) => (
                <Radio key={value} value={value} label={label} description={says} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <OfPaymaster.Provider value={{ paymasterId: paymasterIds[0] ?? '', symbol }}>
          {policyType === 'RULES' ? (
            <RulesEditor key={edited.round} rules={policyData as Rules} onChange={onData} />
          ) : (
            <Stack key={edited.round} gap="xs">
              <LimitRows
                limits={policyData.limits as Limit[]}
                onChange={(limits) => onData({ limits })}
                scopes={['USER', 'PAYMASTER']}
              />
              <List size="sm" c="dimmed" aria-live="polite">
                {sentencesOf(policyType, policyData, symbol).map((sentence) => (
                  <List.Item key={sentence}>{sentence}</List.Item>
                ))}
              </List>
            </Stack>
          )}
        </OfPaymaster.Provider>
        {isGone && <DeletedMeanwhile />}
        {isOld && policy && stored && (
          <ChangedMeanwhile
            start={fieldsOf(draftOf(policy))}
            stored={fieldsOf(draftOf(stored))}
            mine={fieldsOf(draft)}
            linesOf={({ name: named, paymasterIds: ids, ...data }) => {
              const shared = paymasters
                .filter(({ paymasterId }) => ids.includes(paymasterId))
                .map(({ label }) => label);
              const said = { name: named, active: stored.active, policyType, policyData: data, sharedBy: shared };
              return linesOf('policy', said, symbol);
            }}
            onChoose={({ name: named, paymasterIds: ids, ...data }) => {
              const chosen = { name: named, policyType, policyData: data, paymasterIds: ids };
              edited.choose(chosen as SharedDraft);
              save.reset();
            }}
          />
        )}
        {save.error && !isOld && !isGone && <Problem error={save.error} what="The policy was not saved" />}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={save.isPending}
            disabled={name.trim() === '' || paymasterIds.length === 0 || isOld}
          >
            {policy ? 'Save the policy' : 'Make the policy'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
