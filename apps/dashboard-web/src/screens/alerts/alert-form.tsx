import { Button, Checkbox, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { alertsQuery } from '../../api/queries';
import { useChain, useScope } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Problem } from '../../ui/problem';
import { useEdited } from '../../ui/use-edited';
import { CoinInput } from '../policies/fields';
import {
  alertLines,
  draftOf,
  isWhole,
  KINDS,
  NEW_ALERT,
  PERCENTS,
  sendableAlert,
  SUBJECTS,
  type Alert,
  type AlertDraft,
  type AlertKind,
} from './alert-draft';

interface Props {
  /** The alert that is changed; another one is made where it is left out. */
  readonly alert?: Alert | undefined;
  /** @param secret of a new alert to a server */
  readonly onDone: (secret?: string) => void;
}

/** Makes an alert, or changes one. */
export function AlertForm({ alert, onDone }: Props) {
  const scope = useScope();
  const { symbol } = useChain();
  const queries = useQueryClient();
  const isNewer = (stored: Alert, start: Alert) => stored.version > start.version;
  const edited = useEdited({ stored: alert, draftOf, fresh: NEW_ALERT, isNewer });
  const { draft, setDraft, from } = edited;
  const change = (changes: Partial<AlertDraft>) => setDraft({ ...draft, ...changes });
  const readAgain = () => queries.invalidateQueries({ queryKey: alertsQuery(scope).queryKey });
  const save = useMutation({
    mutationFn: async (): Promise<string | undefined> => {
      const [headers, body] = [headersOf(scope), sendableAlert(draft)];
      if (from) {
        const params = { path: { alertId: from.alertId } };
        const expectedVersion = from.version;
        await contentOf(api.PATCH(`${SDK}/alerts/{alertId}`, { headers, params, body: { ...body, expectedVersion } }));
        return undefined;
      }
      const made = await contentOf(api.POST(`${SDK}/alerts`, { headers, body: { ...body, kind: draft.kind } }));
      return made.secret;
    },
    onSuccess: async (secret) => {
      await readAgain();
      onDone(secret);
    },
    onError: (error) => (error instanceof ApiError && error.status === 409 ? readAgain() : undefined),
  });
  const isOld = edited.isOld && !save.isPending && !save.isSuccess;
  return (
    <Form onSubmit={() => save.mutate()}>
      <Stack key={edited.round}>
        <TextInput
          label="Name"
          data-autofocus
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          maxLength={100}
          required
        />
        {!from && (
          <NativeSelect
            label="Where it goes"
            value={draft.kind}
            data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
            onChange={(event) => change({ kind: event.currentTarget.value as AlertKind })}
          />
        )}
        <DestinationFields draft={draft} known={from} onChange={change} />
        <Checkbox.Group
          label="Tell me when"
          value={[...draft.about]}
          onChange={(about) => change({ about: about as AlertDraft['about'] })}
        >
          <Stack gap={6} mt={4}>
            {Object.entries(SUBJECTS).map(([value, label]) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        {draft.about.includes('walletLow') && (
          <CoinInput
            label="The wallet is low below"
            symbol={symbol}
            wei={draft.walletBelowWei}
            onChange={(walletBelowWei) => change({ walletBelowWei })}
          />
        )}
        {draft.about.includes('limitUsed') && (
          <Checkbox.Group
            label="How much of a limit is used"
            value={draft.limitPercents.map(String)}
            onChange={(chosen) =>
              change({ limitPercents: PERCENTS.filter((percent) => chosen.includes(String(percent))) })
            }
          >
            <Group mt={4}>
              {PERCENTS.map((percent) => (
                <Checkbox key={percent} value={String(percent)} label={`${percent} %`} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        <Switch
          label="Quiet hours"
          description="What happens in them is told when they end, in one message."
          checked={draft.isQuiet}
          onChange={(event) => change({ isQuiet: event.currentTarget.checked })}
        />
        {draft.isQuiet && <QuietFields draft={draft} onChange={change} />}
        {isOld && from && alert && (
          <ChangedMeanwhile
            {...{ start: draftOf(from), stored: draftOf(alert), mine: draft, onChoose: edited.choose }}
            linesOf={(each) => [`Name: ${each.name}`, ...alertLines(each, symbol)]}
          />
        )}
        <FormFooter says={save.error && <Problem error={save.error} what="The alert was not saved" />}>
          <Button type="submit" loading={save.isPending} disabled={isOld || !isWhole(draft, !from)}>
            {from ? 'Save the alert' : 'Make the alert'}
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}

interface FieldsProps {
  readonly draft: AlertDraft;
  readonly onChange: (changes: Partial<AlertDraft>) => void;
}

const SAYS: Readonly<Record<Exclude<AlertKind, 'MAIL' | 'TELEGRAM'>, string>> = {
  SLACK: 'In Slack: the app “Incoming Webhooks”, your channel, and its webhook URL.',
  DISCORD: 'In Discord: the settings of the channel, Integrations, Webhooks, and “Copy webhook URL”.',
  WEBHOOK: 'https, and reachable from the internet. Messages are signed.',
};

/** Where it goes. What is stored is not shown again; an empty field keeps it. */
function DestinationFields({ draft, known, onChange }: FieldsProps & { readonly known: Alert | undefined }) {
  const kept = known ? { placeholder: `stays ${known.destination}` } : { required: true };
  const field = (name: 'mail' | 'url' | 'botToken' | 'chatId') => ({
    ...kept,
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
    spellCheck: false,
    autoComplete: 'off',
  });
  if (draft.kind === 'MAIL') return <TextInput type="email" label="Mail address" {...field('mail')} />;
  if (draft.kind !== 'TELEGRAM') {
    return <TextInput type="url" label="URL" description={SAYS[draft.kind]} {...field('url')} />;
  }
  return (
    <>
      <TextInput
        type="password"
        label="Token of the bot"
        description="In Telegram: ask @BotFather for a bot, and add it to the chat."
        {...field('botToken')}
        {...(known && { placeholder: 'stays as it is' })}
      />
      <TextInput label="Chat" description="The id of the chat, or @ and the name of a channel" {...field('chatId')} />
    </>
  );
}

function QuietFields({ draft, onChange }: FieldsProps) {
  const zones = [...new Set([draft.timeZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  const time = (name: 'from' | 'to', label: string) => (
    <TextInput
      type="time"
      label={label}
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      required
    />
  );
  return (
    <Stack gap="xs">
      <Group grow preventGrowOverflow={false} align="flex-start">
        {time('from', 'From')}
        {time('to', 'To')}
        <NativeSelect
          label="Time zone"
          value={draft.timeZone}
          data={zones}
          onChange={(event) => onChange({ timeZone: event.currentTarget.value })}
        />
      </Group>
      {draft.from === draft.to && (
        <Text size="sm" c="red">
          They end when they begin: choose another time.
        </Text>
      )}
    </Stack>
  );
}
