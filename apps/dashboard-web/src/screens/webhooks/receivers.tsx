import { Button, Card, Group, Stack, Switch, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useRole } from '../../shell/use-scope';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { Secrets } from './secrets';

type OnSecrets = (secrets: readonly string[] | undefined) => void;

interface ScreenProps<T> {
  readonly kind: 'Alert' | 'Webhook';
  readonly sub: string;
  readonly of: UseQueryResult<readonly T[]>;
  readonly whileEmpty: string;
  readonly note?: ReactNode;
  readonly card: (receiver: T, onSecrets: OnSecrets) => ReactNode;
  readonly form: (onMade: OnSecrets) => ReactNode;
}

/** Those who are told, with a dialog for another one. Secrets are shown above them once. */
export function ReceiversScreen<T>({ kind, sub, of, whileEmpty, note, card, form }: ScreenProps<T>) {
  const { mayChangeKeys } = useRole();
  const [opened, { open, close }] = useDisclosure(false);
  const [secrets, setSecrets] = useState<readonly string[]>();
  const name = kind.toLowerCase();
  const addButton = mayChangeKeys && <Button onClick={open}>New {name}</Button>;
  return (
    <Page title={`${kind}s`} sub={sub} actions={addButton}>
      {secrets && <Secrets secrets={secrets} onClose={() => setSecrets(undefined)} />}
      <Load of={of} what={`The ${name}s`}>
        {(list) =>
          list.length === 0 ? (
            <Card>
              <Empty title={`No ${name} yet`} action={addButton}>
                {whileEmpty}
              </Empty>
            </Card>
          ) : (
            <Stack>
              {note}
              {list.map((receiver) => card(receiver, setSecrets))}
            </Stack>
          )
        }
      </Load>
      <EditDialog opened={opened} onClose={close} title={`New ${name}`} size="lg">
        {form((made) => {
          setSecrets(made);
          close();
        })}
      </EditDialog>
    </Page>
  );
}

interface CardProps {
  readonly id: string;
  readonly title: string;
  /** Under the title. */
  readonly about: ReactNode;
  readonly active: boolean;
  readonly toggle: { readonly mutate: () => void; readonly isPending: boolean; readonly error: unknown };
  /** Beside the switch. */
  readonly buttons: ReactNode;
  /** Of a button that asks nothing before. */
  readonly error?: unknown;
  readonly children?: ReactNode;
  /** What was sent, and its name; left out where nothing is. */
  readonly log?: { readonly name: string; readonly content: ReactNode } | undefined;
}

/** One who is told: switched on and off, changed, and asked what was sent there. */
export function ReceiverCard({ id, title, about, active, toggle, buttons, children, log, ...more }: CardProps) {
  const { mayChangeKeys, mayReadAudit } = useRole();
  const { open } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isOpen = open === id;
  const error = toggle.error ?? more.error;
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div style={{ minWidth: 0, flex: '1 1 240px' }}>
            <Title order={2} size="h5" className="breaks">
              {title}
            </Title>
            {about}
          </div>
          {mayChangeKeys && (
            <Group gap="xs">
              <Switch
                label="Active"
                checked={active}
                disabled={toggle.isPending}
                onChange={() => toggle.mutate()}
                aria-label={`${title} is active`}
              />
              {buttons}
            </Group>
          )}
        </Group>
        {error != null && <Problem error={error} what="It was not done" />}
        {children}
        {log && mayReadAudit && (
          <Group>
            <Button
              size="xs"
              variant="subtle"
              aria-expanded={isOpen}
              onClick={() => void navigate({ to: '.', search: isOpen ? {} : { open: id }, resetScroll: false })}
            >
              {isOpen ? `Hide ${log.name}` : `Show ${log.name}`}
            </Button>
          </Group>
        )}
        {isOpen && mayReadAudit && log?.content}
      </Stack>
    </Card>
  );
}
