import { Button, Card, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import type { StoredPolicy } from '../../policy/policy-draft';
import { useRole } from '../../shell/use-scope';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import type { Editing } from './use-edited-policy';
import { useKept } from './use-kept';

const NEW = 'new';

interface Props<Stored extends StoredPolicy> {
  /** What they are called together, as in `Shared policies`. */
  readonly title: string;
  /** What each is called, as in `Shared policy`. */
  readonly one: string;
  readonly sub: string;
  readonly actions?: ReactNode;
  /** What a reader who has none yet should know. */
  readonly advice: string;
  readonly policies: UseQueryResult<readonly Stored[]>;
  readonly idOf: (policy: Stored) => string;
  readonly Item: ComponentType<{ readonly policy: Stored; readonly onEdit: () => void }>;
  readonly Editor: ComponentType<Editing<Stored>>;
}

/** A screen of policies. The policy that is edited stands in the URL. */
export function PolicyList<Stored extends StoredPolicy>(props: Props<Stored>) {
  const { title, one, policies, idOf, Item, Editor } = props;
  const word = one.toLowerCase();
  const { mayWrite } = useRole();
  const { open } = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (id: string | undefined) => void navigate({ to: '.', search: id ? { open: id } : {} });
  const isOpen = (policy: Stored) => idOf(policy) === open;
  const { kept: edited, isGone } = useKept(policies.data?.find(isOpen), isOpen);
  const addButton = mayWrite && <Button onClick={() => go(NEW)}>New {word}</Button>;
  return (
    <Page
      title={title}
      sub={props.sub}
      actions={
        <>
          {props.actions}
          {addButton}
        </>
      }
    >
      <Load of={policies} what={`The ${title.toLowerCase()}`}>
        {(list) =>
          list.length === 0 ? (
            <Card>
              <Empty title={`No ${word} yet`} action={addButton}>
                {props.advice}
              </Empty>
            </Card>
          ) : (
            <Stack>
              {list.map((policy) => (
                <Item key={idOf(policy)} policy={policy} onEdit={() => go(idOf(policy))} />
              ))}
            </Stack>
          )
        }
      </Load>
      <EditDialog
        opened={open === NEW || edited !== undefined}
        onClose={() => go(undefined)}
        title={edited ? `Edit “${edited.name}”` : `New ${word}`}
        size={1080}
      >
        <Editor key={open} policy={edited} isGone={isGone} onDone={() => go(undefined)} />
      </EditDialog>
    </Page>
  );
}
