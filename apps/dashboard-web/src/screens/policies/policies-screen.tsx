import { Badge, Button, Card, Group, List, Modal, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { policiesQuery, type Schemas } from '../../api/queries';
import { sentencesOf } from '../../policy/sentences';
import { useChain, useRole, useScope } from '../../shell/use-scope';
import { Confirm } from '../../ui/confirm';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { LimitsInUse } from './limits-in-use';
import { PolicyEditor } from './policy-editor';
import { PolicyHistory } from './policy-history';
import { PolicyTransfer } from './policy-transfer';
import { useKept } from './use-kept';

type Policy = Schemas['PolicyView'];
const NEW = 'new';

/** How much is sponsored, for whom and under which conditions. */
export function PoliciesScreen() {
  const scope = useScope();
  const { mayWrite } = useRole();
  const { open } = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/policies' });
  const navigate = useNavigate();
  const policies = useQuery(policiesQuery(scope));
  const go = (id: string | undefined) => void navigate({ to: '.', search: id ? { open: id } : {} });
  const found = policies.data?.find(({ _id }) => _id === open);
  const { kept: edited, isGone } = useKept(found, ({ _id }) => _id === open);
  const addButton = mayWrite && <Button onClick={() => go(NEW)}>New policy</Button>;
  return (
    <Page
      title="Policies"
      sub="How much is sponsored, and under which conditions. The whitelist of contracts holds besides."
      actions={
        <>
          <PolicyTransfer />
          {addButton}
        </>
      }
    >
      <Load of={policies} what="The policies">
        {(list) =>
          list.length === 0 ? (
            <Card>
              <Empty title="No policy yet" action={addButton}>
                Everything that is whitelisted is sponsored without a limit, until the deposit is empty. Set a limit
                before you give a key to an app.
              </Empty>
            </Card>
          ) : (
            <Stack>
              {list.map((policy) => (
                <PolicyCard key={policy._id} policy={policy} onEdit={() => go(policy._id)} />
              ))}
            </Stack>
          )
        }
      </Load>
      <Modal
        opened={open === NEW || edited !== undefined}
        onClose={() => go(undefined)}
        title={edited ? `Policy ${edited.name}` : 'New policy'}
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <PolicyEditor key={open} policy={edited} isGone={isGone} onDone={() => go(undefined)} />
      </Modal>
    </Page>
  );
}

function PolicyCard({ policy, onEdit }: { readonly policy: Policy; readonly onEdit: () => void }) {
  const scope = useScope();
  const { mayWrite, mayReadAudit } = useRole();
  const { symbol } = useChain();
  const queries = useQueryClient();
  const [showsHistory, setShowsHistory] = useState(false);
  const [showsUse, setShowsUse] = useState(false);
  const { _id: policyId, name, policyType, active } = policy;
  const hasLimits = policyType === 'RULES' || policyType === 'PAYMASTER_SA_LIMIT';
  const options = { params: { path: { policyId } }, headers: headersOf(scope) };
  const onSuccess = () => queries.invalidateQueries({ queryKey: policiesQuery(scope).queryKey });
  const pause = useMutation({
    mutationFn: async () => {
      if (active) await contentOf(api.PATCH(`${SDK}/paymaster-policy/deactivate/{policyId}`, options));
      else await contentOf(api.PATCH(`${SDK}/paymaster-policy/activate/{policyId}`, options));
    },
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/paymaster-policy/{policyId}`, options)),
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
            <Badge variant="light" color={active ? 'green' : 'gray'} tt="none">
              {active ? 'active' : 'paused'}
            </Badge>
          </Group>
          <Group gap="xs">
            {mayReadAudit && (
              <Button size="xs" variant="default" onClick={() => setShowsHistory(true)}>
                History
              </Button>
            )}
            {mayWrite && (
              <>
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
                    {consequence(policyType)} What was used goes on counting.
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
                  {consequence(policyType)} What was used is forgotten.
                </Confirm>
              </>
            )}
          </Group>
        </Group>
        <List size="sm" spacing={2}>
          {sentencesOf(policyType, policy.policyData, symbol).map((sentence) => (
            <List.Item key={sentence} className="breaks">
              {sentence}
            </List.Item>
          ))}
        </List>
        {hasLimits && (
          <Group>
            <Button size="xs" variant="subtle" aria-expanded={showsUse} onClick={() => setShowsUse(!showsUse)}>
              {showsUse ? 'Hide what is used' : 'Show what is used'}
            </Button>
          </Group>
        )}
        {showsUse && <LimitsInUse policyId={policyId} />}
        {pause.error && !active && <Problem error={pause.error} what="The policy was not activated" />}
      </Stack>
      <Modal
        opened={showsHistory}
        onClose={() => setShowsHistory(false)}
        title={`History of ${name}`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <PolicyHistory policyId={policyId} />
      </Modal>
    </Card>
  );
}

/** What stops working without the policy. */
function consequence(policyType: Policy['policyType']): string {
  switch (policyType) {
    case 'RULES':
      return 'Its rules and budgets no longer hold. If it is the last rules policy, all that is whitelisted is sponsored without a limit.';
    case 'PAYMASTER_SA_LIMIT':
      return 'Its limit no longer holds: more is sponsored than before.';
    case 'WALLET_DEPLOYMENT':
      return 'Deployments that call nothing whitelisted are refused.';
    case 'WEBHOOK':
      return 'Your server is no longer asked: what it refused is sponsored.';
  }
}
