import { Badge, Button, Card, Group, List, Stack, Title } from '@mantine/core';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { StoredPolicy } from '../../policy/policy-draft';
import { sentencesOf } from '../../policy/sentences';
import { useChain, useRole } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { Problem } from '../../ui/problem';
import { LimitsInUse } from './limits-in-use';

interface Props {
  readonly policy: StoredPolicy;
  readonly policyId: string;
  readonly hasLimits: boolean;
  /** What stops working without the policy. */
  readonly consequence: string;
  readonly onEdit: () => void;
  /** Pauses or activates it. */
  readonly setActive: (active: boolean) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
  /** What is read again after a change. */
  readonly queryKey: QueryKey;
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  /** What else is to be known of it, under its sentences. */
  readonly children?: ReactNode;
}

/** A policy in words, how much of its limits is used, and what can be done with it. */
export function PolicyCard(props: Props) {
  const { policyId, hasLimits, consequence, setActive, queryKey } = props;
  const { name, policyType, policyData, active } = props.policy;
  const { mayWrite } = useRole();
  const { symbol } = useChain();
  const queries = useQueryClient();
  const [showsUse, setShowsUse] = useState(false);
  const onSuccess = () => queries.invalidateQueries({ queryKey });
  const pause = useMutation({ mutationFn: () => setActive(!active), onSuccess });
  const remove = useMutation({ mutationFn: props.remove, onSuccess });
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Group gap="xs">
            <Title order={2} size="h4" className="breaks">
              {name}
            </Title>
            {props.badge}
            <Badge variant="light" color={active ? 'green' : 'gray'} tt="none">
              {active ? 'active' : 'paused'}
            </Badge>
          </Group>
          <Group gap="xs">
            {props.actions}
            {mayWrite && (
              <>
                <Button size="xs" variant="default" onClick={props.onEdit} aria-label={`Edit ${name}`}>
                  Edit
                </Button>
                {active ? (
                  <Confirm action="Pause" label={`Pause ${name}`} {...asked(pause)}>
                    {consequence} What was used goes on counting.
                  </Confirm>
                ) : (
                  <Button size="xs" variant="default" loading={pause.isPending} onClick={() => pause.mutate()}>
                    Activate
                  </Button>
                )}
                <Confirm action="Delete" label={`Delete ${name}`} {...asked(remove)}>
                  {consequence} What was used is forgotten.
                </Confirm>
              </>
            )}
          </Group>
        </Group>
        <List size="sm" spacing={2}>
          {sentencesOf(policyType, policyData, symbol).map((sentence) => (
            <List.Item key={sentence} className="breaks">
              {sentence}
            </List.Item>
          ))}
        </List>
        {props.children}
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
    </Card>
  );
}
