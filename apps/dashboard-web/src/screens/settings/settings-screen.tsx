import {
  Alert,
  Button,
  Card,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keyOf, paymastersQuery, settingsQuery, type Schemas } from '../../api/queries';
import { linesOf } from '../../audit/lines-of';
import { useChain, useRole, useScope } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { LineList } from '../policies/fields';

type Settings = Schemas['SettingsView'];
type Change = Omit<Schemas['UpdateSettingsDto'], 'expected'>;
type SettingName = keyof Change;

interface Choice<Key extends keyof Settings> {
  readonly key: Key;
  readonly label: string;
  readonly options: readonly { value: Extract<Settings[Key], string>; label: string }[];
}

/** What holds for the whole paymaster, beside its whitelist and its policies. */
export function SettingsScreen() {
  const settings = useQuery(settingsQuery(useScope()));
  return (
    <Page title="Settings" sub="What holds for all operations of this paymaster.">
      <Load of={settings} what="The settings" height={400}>
        {(found) => <Editor settings={found} />}
      </Load>
      <Identity />
    </Page>
  );
}

/** Settings with new values, and with those that the reader saw when he began. */
interface Edit {
  readonly start: Change;
  readonly mine: Change;
}

function Editor({ settings }: { readonly settings: Settings }) {
  const scope = useScope();
  const { mayWrite } = useRole();
  const { symbol } = useChain();
  const queries = useQueryClient();
  const { queryKey } = settingsQuery(scope);
  /** What is typed and not saved, by the name of its setting; switches and choices are saved at once. */
  const [typed, setTyped] = useState<Readonly<Record<string, Edit>>>({});
  /** The switch that is not turned on before the reader has read what that opens. */
  const [asked, setAsked] = useState<{ key: SettingName; label: string; opens: string }>();
  /** What came too late: somebody else had changed the same. */
  const [late, setLate] = useState<Edit>();
  const settle = ({ mine }: Edit) => {
    setLate(undefined);
    setTyped((all) => Object.fromEntries(Object.entries(all).filter(([name]) => !(name in mine))));
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
  const edit = (name: SettingName, value: unknown): Edit => ({
    start: typed[name]?.start ?? partOf(settings, { [name]: value }),
    mine: { [name]: value },
  });
  const save = (name: SettingName, value: unknown) => change.mutate(edit(name, value));
  const type = (name: SettingName, value: unknown) => {
    const made = edit(name, value);
    if (late) {
      setLate(undefined);
      change.reset();
    }
    const isBack = JSON.stringify(made.mine) === JSON.stringify(partOf(settings, made.mine));
    if (isBack) settle(made);
    else setTyped((all) => ({ ...all, [name]: made }));
  };
  const stopAsking = () => {
    change.reset();
    setAsked(undefined);
  };
  const isDisabled = !mayWrite || change.isPending;
  const servers = typed['servers'];
  return (
    <>
      <Card>
        <Stack gap="lg">
          <Modal opened={asked !== undefined} onClose={stopAsking} title={asked?.label}>
            <Stack>
              <Text size="sm">{asked?.opens}</Text>
              {change.error && <Problem error={change.error} what="The setting was not changed" />}
              <Group justify="flex-end">
                <Button variant="default" onClick={stopAsking} data-autofocus>
                  Leave it off
                </Button>
                <Button
                  color="red"
                  loading={change.isPending}
                  onClick={() => asked && change.mutate(edit(asked.key, true), { onSuccess: stopAsking })}
                >
                  Turn it on
                </Button>
              </Group>
            </Stack>
          </Modal>
          {SWITCHES.map(({ key, label, says, opens }) => (
            <Switch
              key={key}
              label={label}
              description={says}
              checked={settings[key]}
              disabled={isDisabled}
              onChange={({ currentTarget: { checked } }) => {
                if (checked && opens) setAsked({ key, label, opens });
                else save(key, checked);
              }}
              {...(opens && settings[key] && { color: 'orange' })}
            />
          ))}
          <Group align="flex-start">
            {CHOICES.map(({ key, label, options }) => (
              <NativeSelect
                key={key}
                label={label}
                value={settings[key]}
                data={[...options]}
                disabled={isDisabled}
                onChange={(event) => save(key, event.currentTarget.value)}
              />
            ))}
          </Group>
          {NUMBERS.map(({ key, ...about }) => (
            <Amount
              key={key}
              {...about}
              stored={settings[key]}
              typed={typed[key]?.mine[key]}
              isDisabled={isDisabled}
              onType={(value) => type(key, value)}
              onSave={(value) => save(key, value)}
            />
          ))}
          <div>
            <Text size="sm" fw={500}>
              What can a stranger cost you in an hour?
            </Text>
            <Text size="sm" c="dimmed">
              By default, from one address at most 3 to 6 % of the wallet, or a tenth where gas is expensive; from all
              addresses that are new today, a quarter together. Before half of the wallet is lost, the spending brake
              stops everybody. Budgets in your policies can make it less.
            </Text>
          </div>
          <Servers
            // The list keeps its text: it is made anew with what somebody else stored, unless something is typed in it.
            key={(servers?.start.servers ?? settings.servers).join()}
            named={servers?.mine.servers ?? settings.servers}
            isDisabled={!mayWrite}
            isPending={change.isPending}
            isChanged={servers !== undefined}
            onType={(names) => type('servers', names)}
            onSave={() => servers && change.mutate(servers)}
          />
        </Stack>
      </Card>
      {late ? (
        <FormFooter
          says={
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
          }
        />
      ) : (
        change.error &&
        !asked && <FormFooter says={<Problem error={change.error} what="The setting was not changed" />} />
      )}
    </>
  );
}

/** What is stored of the settings that a change names. */
function partOf(settings: Settings, change: Change): Change {
  return Object.fromEntries(Object.keys(change).map((name) => [name, settings[name as keyof Settings]]));
}

interface AmountProps {
  readonly label: string;
  readonly says: string;
  readonly stored: number;
  /** What stands there instead, and is not saved. */
  readonly typed: number | undefined;
  readonly isDisabled: boolean;
  readonly onType: (value: number) => void;
  readonly onSave: (value: number) => void;
}

function Amount({ label, says, stored, typed, isDisabled, onType, onSave }: AmountProps) {
  const [isEmpty, setIsEmpty] = useState(false);
  const isChanged = typed !== undefined && !isEmpty;
  return (
    <Form onSubmit={() => isChanged && onSave(typed)}>
      <Group align="flex-end">
        <NumberInput
          label={label}
          description={says}
          value={isEmpty ? '' : (typed ?? stored)}
          onChange={(value) => {
            setIsEmpty(typeof value !== 'number');
            if (typeof value === 'number') onType(value);
          }}
          min={0}
          allowDecimal={false}
          disabled={isDisabled}
        />
        {isChanged && (
          <Button type="submit" variant="default">
            Save
          </Button>
        )}
      </Group>
    </Form>
  );
}

interface ServersProps {
  readonly named: readonly string[];
  readonly isDisabled: boolean;
  readonly isPending: boolean;
  readonly isChanged: boolean;
  readonly onType: (servers: readonly string[]) => void;
  readonly onSave: () => void;
}

function Servers({ named, isDisabled, isPending, isChanged, onType, onSave }: ServersProps) {
  return (
    <Form onSubmit={onSave}>
      <Stack gap="xs">
        <LineList
          label="Your servers"
          description="IP addresses, or networks such as 203.0.113.0/24, one in each line. What they ask for is not counted as one stranger’s; where they say which user they ask for, each user is counted alone."
          value={named}
          onChange={onType}
          isDisabled={isDisabled}
        />
        {!isDisabled && (
          <Group>
            <Button type="submit" variant="default" loading={isPending} disabled={!isChanged}>
              Save the servers
            </Button>
          </Group>
        )}
      </Stack>
    </Form>
  );
}

const SWITCHES = [
  {
    key: 'spendingBrake',
    label: 'Spending brake',
    says: 'Stops the paymaster before it loses more than half of its wallet within an hour, until you release it.',
    opens: undefined,
  },
  {
    key: 'explainToClients',
    label: 'Explain refusals to apps',
    says: 'Apps are told limits, what is used, and the rule that refused. Without it they get the reason only.',
    opens: undefined,
  },
  {
    key: 'requireKnownAccounts',
    label: 'Known accounts only',
    says: 'The code of deployed accounts has to be one that the platform knows.',
    opens: undefined,
  },
  {
    key: 'allowCallDataSuffix',
    label: 'Bytes behind the call data',
    says: 'Wallets put there which app sent the operation, at most 256 bytes that the account does not read. Without it such operations are refused.',
    opens: undefined,
  },
  {
    key: 'ignoreForeignPolicyIds',
    label: 'Ids of other vendors’ policies',
    says: 'Apps that come from another vendor may go on sending its policy ids; they mean nothing here. Without it such requests are refused.',
    opens: undefined,
  },
  {
    key: 'signWhenSent',
    label: 'Sign when the operation is sent (EntryPoint v0.9)',
    says: 'Until your app sends the operation to the address of this paymaster, nobody can land it and nothing is held for it. Apps that send it to another bundler fail with AA34.',
    opens: undefined,
  },
  {
    key: 'allowBatchApprovalWithoutRules',
    label: 'Approvals in the batch without a rule',
    says: 'Users pay in tokens by an approval in their batch also while you have no contract and no policy. Such an operation can land and not pay.',
    opens:
      'Such an operation can land and not pay you: its user spends your gas. What stays unpaid is capped for each token and account.',
  },
  {
    key: 'sponsorNativeTransfers',
    label: 'Sponsor plain transfers of coin',
    says: 'Also operations that only send coin. They use your gas for anything.',
    opens:
      'Everybody who knows your key can send coin with your gas, to any address. Only your limits and the spending brake hold it back.',
  },
  {
    key: 'sponsorAnyContract',
    label: 'Sponsor calls to every contract',
    says: 'The whitelist no longer holds. Set a budget in a policy before you turn this on.',
    opens:
      'Everybody who knows your key can call any contract with your gas. Your whitelist no longer holds. Only your limits and the spending brake hold it back.',
  },
] as const;

const NUMBERS = [
  {
    key: 'defaultExpirySeconds',
    label: 'Validity of a sponsorship, in seconds',
    says: 'Where the app asks for no time. Longer for users who confirm slowly: with a hardware wallet, or several owners of one account.',
  },
  {
    key: 'maxExpirySeconds',
    label: 'Longest validity of a signature, in seconds',
    says: 'Apps may ask for as long. What is signed and not landed holds your deposit for that time.',
  },
] as const;

const CHOICES: readonly (
  Choice<'sponsorDeployments'> | Choice<'onRefusal'> | Choice<'onLimitReached'> | Choice<'tokenMode'>
)[] = [
  {
    key: 'sponsorDeployments',
    label: 'Deployments of accounts',
    options: [
      { value: 'never', label: 'are never sponsored' },
      { value: 'withCall', label: 'with a sponsored call' },
      { value: 'always', label: 'are always sponsored' },
    ],
  },
  {
    key: 'onRefusal',
    label: 'When sponsoring is refused',
    options: [
      { value: 'error', label: 'the app gets an error' },
      { value: 'userPays', label: 'the user pays in coin' },
    ],
  },
  {
    key: 'onLimitReached',
    label: 'When a limit is reached',
    options: [
      { value: 'refuse', label: 'refuse' },
      { value: 'erc20', label: 'offer payment in tokens' },
    ],
  },
  {
    key: 'tokenMode',
    label: 'Paid in tokens may be',
    options: [
      { value: 'anyCall', label: 'any call' },
      { value: 'whitelistedCalls', label: 'whitelisted calls' },
      { value: 'off', label: 'nothing' },
    ],
  },
];

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
        {rename.error && <Problem error={rename.error} what="It was not renamed" />}
        {paymaster.archivedAt === null ? (
          <Group>
            <Confirm
              action="Archive the paymaster"
              onConfirm={() => archive.mutateAsync()}
              isPending={archive.isPending}
              error={archive.error}
            >
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
