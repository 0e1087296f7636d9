import { Alert, Button, Card, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keyOf, paymastersQuery, settingsQuery } from '../../api/queries';
import { linesOf } from '../../audit/lines-of';
import { useChain, useRole, useScope } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { asked, Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Load } from '../../ui/load';
import { NameProblem } from '../../ui/name-problem';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { SettingField } from './setting-field';
import { SETTINGS_OF_PAGE, type Change, type SettingOfPage, type Settings } from './settings-of-page';

/** What holds for the whole paymaster, beside its whitelist and its policies. */
export function SettingsScreen() {
  const scope = useScope();
  const { mayWrite } = useRole();
  const settings = useQuery(settingsQuery(scope));
  return (
    <Page title="Settings" sub="What holds for all operations of this paymaster.">
      {!mayWrite && <Text>Your role does not let you change settings. Ask an owner of the account.</Text>}
      <Load of={settings} what="The settings" height={400}>
        {(found) => <Editor key={scope.paymasterId} settings={found} />}
      </Load>
      <Identity />
    </Page>
  );
}

/** A member needs more for these than for the others. */
const SETTINGS_OF_MONEY: ReadonlySet<string> = new Set<keyof Settings>(['spendingBrake', 'tokenFeeReceiver']);

/** What is changed, and what was stored of it when its reader began. */
interface Edit {
  readonly start: Change;
  readonly mine: Change;
}

function Editor({ settings }: { readonly settings: Settings }) {
  const scope = useScope();
  const { mayWrite, mayChangeMoney } = useRole();
  const { symbol } = useChain();
  const queries = useQueryClient();
  const { queryKey } = settingsQuery(scope);
  /** What was stored of each field that is typed in and not saved, when that began. */
  const [started, setStarted] = useState<Change>({});
  /** How often each was saved or given up: its field then begins with what is stored, also where that is the same. */
  const [rounds, setRounds] = useState<Readonly<Record<string, number>>>({});
  /** The switch that is not turned on before the reader has read what that opens. */
  const [asked, setAsked] = useState<SettingOfPage>();
  /** What came too late: somebody else had changed the same. */
  const [late, setLate] = useState<Edit>();
  const settle = ({ mine }: Edit) => {
    setLate((now) => (now && Object.keys(now.mine).some((key) => key in mine) ? undefined : now));
    setStarted((all) => without(all, Object.keys(mine)));
    setRounds((all) => Object.keys(mine).reduce((next, key) => ({ ...next, [key]: (next[key] ?? 0) + 1 }), all));
  };
  const change = useMutation({
    mutationFn: ({ start, mine }: Edit) =>
      contentOf(
        api.PATCH(`${SDK}/paymaster-settings`, {
          headers: headersOf(scope),
          body: { ...mine, expected: { ...start } },
        }),
      ),
    onSuccess: (saved, edit) => {
      queries.setQueryData(queryKey, saved);
      settle(edit);
    },
    onError: async (error, edit) => {
      if (!(error instanceof ApiError && error.status === 409)) return;
      await queries.invalidateQueries({ queryKey });
      setLate(edit);
      setAsked(undefined);
    },
  });
  const editOf = (key: SettingOfPage['key'], value: unknown): Edit => ({
    start: { [key]: startOf(key) },
    mine: { [key]: value },
  });
  const startOf = (key: SettingOfPage['key']) => (key in started ? started[key] : settings[key]);
  const stopAsking = () => {
    change.reset();
    setAsked(undefined);
  };
  const problem = change.error && change.variables?.mine !== late?.mine && (
    <Problem error={change.error} what="The setting was not changed" />
  );
  return (
    <>
      <Modal opened={asked !== undefined} onClose={stopAsking} title={asked?.label}>
        <Stack>
          <Text size="sm">{opensOf(asked)}</Text>
          {problem}
          <Group justify="flex-end">
            <Button variant="default" onClick={stopAsking} data-autofocus>
              Leave it off
            </Button>
            <Button
              color="red"
              loading={change.isPending}
              onClick={() => asked && change.mutate(editOf(asked.key, true), { onSuccess: stopAsking })}
            >
              Turn it on
            </Button>
          </Group>
        </Stack>
      </Modal>
      {SETTINGS_OF_PAGE.map(({ title, settings: ofGroup }) => (
        <Card key={title}>
          <Stack gap="lg">
            <Title order={2} size="h4">
              {title}
            </Title>
            {ofGroup.map((setting) => (
              <SettingField
                // A field shows what was stored meanwhile, unless its reader types in it; a switch keeps its focus.
                key={
                  hasField(setting)
                    ? JSON.stringify([setting.key, rounds[setting.key], startOf(setting.key)])
                    : setting.key
                }
                setting={setting}
                stored={
                  hasField(setting) ? (startOf(setting.key) as Settings[typeof setting.key]) : settings[setting.key]
                }
                isDisabled={!mayWrite || change.isPending || (SETTINGS_OF_MONEY.has(setting.key) && !mayChangeMoney)}
                onEdited={(isEdited) =>
                  setStarted((all) =>
                    isEdited ? { [setting.key]: settings[setting.key], ...all } : without(all, [setting.key]),
                  )
                }
                onChange={(value) => {
                  if (value === true && opensOf(setting)) setAsked(setting);
                  else change.mutate(editOf(setting.key, value));
                }}
              />
            ))}
            {title === 'What it may cost' && <WhatStrangersCost />}
          </Stack>
        </Card>
      ))}
      {(late ?? (problem && !asked)) && (
        <FormFooter
          says={
            <>
              {problem}
              {late && (
                <ChangedMeanwhile
                  start={late.start}
                  stored={partOf(settings, late.mine)}
                  mine={late.mine}
                  linesOf={(values) => linesOf('settings', values, symbol)}
                  onChoose={(values) => {
                    change.reset();
                    if (values !== late.mine) settle(late);
                    else {
                      setLate(undefined);
                      change.mutate({ start: partOf(settings, values), mine: values });
                    }
                  }}
                  savesChoice
                />
              )}
            </>
          }
        />
      )}
    </>
  );
}

/** What is stored of the settings that a change names. */
function partOf(settings: Settings, change: Change): Change {
  return Object.fromEntries(Object.keys(change).map((name) => [name, settings[name as keyof Settings]]));
}

/** The same object where it has none of the names: nothing is drawn anew. */
function without(change: Change, names: readonly string[]): Change {
  if (!names.some((name) => name in change)) return change;
  return Object.fromEntries(Object.entries(change).filter(([name]) => !names.includes(name)));
}

const hasField = ({ control: { kind } }: SettingOfPage): boolean => !['switch', 'choice', 'ways'].includes(kind);

const opensOf = (setting: SettingOfPage | undefined): string | undefined =>
  setting?.control.kind === 'switch' ? setting.control.opens : undefined;

function WhatStrangersCost() {
  return (
    <div>
      <Text size="sm" fw={500}>
        What can a stranger cost you in an hour?
      </Text>
      <Text size="sm" c="dimmed">
        By default, from one address at most 3 to 6 % of the wallet, or a tenth where gas is expensive; from all
        addresses that are new today, a quarter together. Before half of the wallet is lost, the spending brake stops
        everybody. Limits in your policies can make it less.
      </Text>
    </div>
  );
}

/** The paymaster's name, and its end. */
function Identity() {
  const { accountId, paymasterId } = useScope();
  const { mayWrite } = useRole();
  const queries = useQueryClient();
  const { data: paymasters } = useQuery(paymastersQuery(accountId));
  const paymaster = paymasters?.find((each) => each.paymasterId === paymasterId);
  const [typed, setTyped] = useState<string>();
  const options = { params: { path: { paymasterId } }, headers: headersOf({ accountId, paymasterId }) };
  const onSuccess = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: paymastersQuery(accountId).queryKey }),
      queries.invalidateQueries({ queryKey: keyOf({ accountId, paymasterId }) }),
    ]);
  const rename = useMutation({
    mutationFn: (name: string) =>
      contentOf(api.PATCH(`${SDK}/paymaster/{paymasterId}`, { ...options, body: { name } })),
    onSuccess,
  });
  const archive = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/paymaster/{paymasterId}/archive`, options)),
    onSuccess,
  });
  const restore = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/paymaster/{paymasterId}/restore`, options)),
    onSuccess,
  });
  if (!paymaster || !mayWrite) return null;
  const name = typed ?? paymaster.name;
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Name and archive
        </Title>
        <Form onSubmit={() => rename.mutate(name.trim())}>
          <Group align="flex-end">
            <TextInput
              label="Name of the paymaster"
              value={name}
              maxLength={100}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Button
              type="submit"
              variant="default"
              loading={rename.isPending}
              disabled={name.trim() === '' || name.trim() === paymaster.name}
            >
              Rename
            </Button>
          </Group>
        </Form>
        {rename.error && (
          <NameProblem error={rename.error} what="It was not renamed" name={rename.variables} onPropose={setTyped} />
        )}
        {paymaster.archivedAt === null ? (
          <Group>
            <Confirm action="Archive the paymaster" {...asked(archive)}>
              It signs nothing more: every app that uses one of its keys is refused at once. Its records stay, and the
              deposit stays the wallet’s. You can restore it.
            </Confirm>
          </Group>
        ) : (
          <Alert color="yellow" title="This paymaster is archived and signs nothing">
            <Group justify="space-between">
              <Text size="sm">Restore it, and its keys work again.</Text>
              <Button size="xs" loading={restore.isPending} onClick={() => restore.mutate()}>
                Restore
              </Button>
            </Group>
          </Alert>
        )}
        {restore.error && <Problem error={restore.error} what="It was not restored" />}
      </Stack>
    </Card>
  );
}
