import { Badge, Button, Card, Group, List, Modal, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { sharedPoliciesQuery } from '../../api/queries';
import { sentencesOf } from '../../policy/sentences';
import { OfPaymaster, useRole, useScope } from '../../shell/use-scope';
import { Confirm } from '../../ui/confirm';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { LimitsInUse } from '../policies/limits-in-use';
import { useKept } from '../policies/use-kept';
import { SHARED_TYPES, type SharedPolicy } from './shared-draft';
import { SharedPolicyEditor } from './shared-policy-editor';
import { useSharing } from './use-sharing';

const NEW = 'new';

/** Budgets and rules of the account that hold for several paymasters together. */
export function SharedPoliciesScreen() {
  const { accountId } = useScope();
  const { mayWrite } = useRole();
  const { open } = useSearch({ from: '/signed-in/a/$accountId/shared-policies' });
  const navigate = useNavigate();
  const policies = useQuery(sharedPoliciesQuery(accountId));
  const go = (id: string | undefined) => void navigate({ to: '.', search: id ? { open: id } : {} });
  const found = policies.data?.find(({ policyId }) => policyId === open);
  const { kept: edited, isGone } = useKept(found, ({ policyId }) => policyId === open);
  const addButton = mayWrite && <Button onClick={() => go(NEW)}>New shared policy</Button>;
  return (
    <Page
      title="Shared policies"
      sub="Budgets and rules that hold for several paymasters together, on any chains."
      actions={addButton}
    >
      <Load of={policies} what="The shared policies">
        {(list) =>
          list.length === 0 ? (
            <Card>
              <Empty title="No shared policy yet" action={addButton}>
                Each paymaster has its own policies. Share one, and its budgets count over all paymasters that share it:
                one sum in USD for all of your chains, for example.
              </Empty>
            </Card>
          ) : (
            <Stack>
              {list.map((policy) => (
                <SharedPolicyCard key={policy.policyId} policy={policy} onEdit={() => go(policy.policyId)} />
              ))}
            </Stack>
          )
        }
      </Load>
      <Modal
        opened={open === NEW || edited !== undefined}
        onClose={() => go(undefined)}
        title={edited ? `Shared policy ${edited.name}` : 'New shared policy'}
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <SharedPolicyEditor key={open} policy={edited} isGone={isGone} onDone={() => go(undefined)} />
      </Modal>
    </Page>
  );
}

function SharedPolicyCard({ policy, onEdit }: { readonly policy: SharedPolicy; readonly onEdit: () => void }) {
  const { accountId } = useScope();
  const { mayWrite } = useRole();
  const { paymasters, coinOf } = useSharing();
  const queries = useQueryClient();
  const [showsUse, setShowsUse] = useState(false);
  const { policyId, name, policyType, active, policyData, paymasterIds } = policy;
  const symbol = coinOf(paymasterIds);
  const options = { params: { path: { policyId } }, headers: headersOf({ accountId }) };
  const onSuccess = () => queries.invalidateQueries({ queryKey: sharedPoliciesQuery(accountId).queryKey });
  const pause = useMutation({
    mutationFn: () =>
      contentOf(api.PATCH(`${SDK}/shared-policy/{policyId}`, { ...options, body: { active: !active } })),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/shared-policy/{policyId}`, options)),
    onSuccess,
  });
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Group gap="xs">
            <Title order={2} size="h4" className="breaks">
              {name}
            </Title>
            <Badge variant="light" color="blue" tt="none">
              {SHARED_TYPES.find(({ value }) => value === policyType)?.label.toLowerCase()}
            </Badge>
            <Badge variant="light" color={active ? 'green' : 'gray'} tt="none">
              {active ? 'active' : 'paused'}
            </Badge>
          </Group>
          {mayWrite && (
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={onEdit} aria-label={`Edit ${name}`}>
                Edit
              </Button>
              {active ? (
                <Confirm
                  action="Pause"
                  label={`Pause ${name}`}
                  onConfirm={() => pause.mutateAsync()}
                  isPending={pause.isPending}
                  error={pause.error}
                >
                  {CONSEQUENCES[policyType]} What was used goes on counting.
                </Confirm>
              ) : (
                <Button size="xs" variant="default" loading={pause.isPending} onClick={() => pause.mutate()}>
                  Activate
                </Button>
              )}
              <Confirm
                action="Delete"
                label={`Delete ${name}`}
                onConfirm={() => remove.mutateAsync()}
                isPending={remove.isPending}
                error={remove.error}
              >
                {CONSEQUENCES[policyType]} What was used is forgotten.
              </Confirm>
            </Group>
          )}
        </Group>
        <List size="sm" spacing={2}>
          {sentencesOf(policyType, policyData, symbol).map((sentence) => (
            <List.Item key={sentence} className="breaks">
              {sentence}
            </List.Item>
          ))}
        </List>
        <Text size="sm" c="dimmed" className="breaks">
          Shared by{' '}
          {paymasterIds.map((id) => paymasters.find(({ paymasterId }) => paymasterId === id)?.label ?? id).join(', ')}.
        </Text>
        <Group>
          <Button size="xs" variant="subtle" aria-expanded={showsUse} onClick={() => setShowsUse(!showsUse)}>
            {showsUse ? 'Hide what is used' : 'Show what is used'}
          </Button>
        </Group>
        {showsUse && paymasterIds[0] && (
          <OfPaymaster.Provider value={{ paymasterId: paymasterIds[0], symbol }}>
            <LimitsInUse policyId={policyId} />
          </OfPaymaster.Provider>
        )}
        {pause.error && !active && <Problem error={pause.error} what="The policy was not activated" />}
      </Stack>
    </Card>
  );
}

/** What stops working without the policy. */
const CONSEQUENCES = {
  SPENDING_LIMITS: 'Its budget no longer holds: its paymasters sponsor as much as their own policies allow.',
  RULES:
    'Its rules and budgets no longer hold. Where it was the last rules policy of a paymaster, that one sponsors all that is whitelisted without a limit.',
} as const;
