import { Alert, Button, Card, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, SDK } from '../../api/client';
import { passkeysQuery, secondFactorQuery, type Schemas } from '../../api/queries';
import { Confirm } from '../../ui/confirm';
import { Form } from '../../ui/form';
import { Copy } from '../../ui/hex';
import { Load } from '../../ui/load';
import { When } from '../../ui/when';
import { Qr } from './qr';
import { Refused } from './refused';

/** A device that shows codes, which are asked for after a sign-in. */
export function SecondFactor() {
  const queries = useQueryClient();
  const factor = useQuery(secondFactorQuery);
  const [code, setCode] = useState('');
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  /** What the person may do in an account may depend on it. */
  const refresh = async () => {
    setCode('');
    await queries.invalidateQueries();
  };
  const begin = useMutation({
    mutationFn: (old: string) =>
      contentOf(api.POST(`${SDK}/person/second-factor`, { body: old === '' ? {} : { code: old } })),
    onSuccess: () => setCode(''),
  });
  const renew = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/person/second-factor/recovery-codes`, { body: { code } })),
    onSuccess: (renewed) => {
      setRecoveryCodes(renewed.recoveryCodes);
      return refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/person/second-factor`, { body: { code } })),
    onSuccess: () => {
      setRecoveryCodes(undefined);
      return refresh();
    },
  });
  return (
    <Card>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            Second factor
          </Title>
          <Text size="sm" c="dimmed">
            A device shows codes, and after you sign in you are asked for one. After a sign-in with a passkey you are
            not asked: a passkey is as good as both.
          </Text>
        </div>
        {recoveryCodes && <RecoveryCodes codes={recoveryCodes} onKept={() => setRecoveryCodes(undefined)} />}
        <Load of={factor} what="The details of the second factor" height={40}>
          {({ since, recoveryCodesLeft }) =>
            since === null ? (
              <Group>
                <Text size="sm">You have no second factor yet.</Text>
                {!begin.data && (
                  <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate('')}>
                    Add a second factor
                  </Button>
                )}
              </Group>
            ) : (
              <Stack gap="sm">
                <Text size="sm">
                  You have a second factor since <When iso={since} />. Recovery codes left: {recoveryCodesLeft}.
                </Text>
                <TextInput
                  label="Code of the device, or a recovery code"
                  description="For each of these changes"
                  value={code}
                  onChange={(event) => setCode(event.currentTarget.value)}
                  maxLength={64}
                  autoComplete="one-time-code"
                  spellCheck={false}
                />
                <Group>
                  <Button
                    variant="default"
                    loading={begin.isPending}
                    disabled={code.trim() === ''}
                    onClick={() => begin.mutate(code)}
                  >
                    Use another device
                  </Button>
                  <Button
                    variant="default"
                    loading={renew.isPending}
                    disabled={code.trim() === ''}
                    onClick={() => renew.mutate()}
                  >
                    New recovery codes
                  </Button>
                  <Confirm
                    action="Remove the second factor"
                    onConfirm={() => remove.mutateAsync()}
                    isPending={remove.isPending}
                    error={null}
                    disabled={code.trim() === ''}
                  >
                    Your first factor alone signs you in from then on. In accounts that ask for a second factor you may
                    only read.
                    <Refused error={remove.error} what="The second factor was not removed" />
                  </Confirm>
                </Group>
              </Stack>
            )
          }
        </Load>
        <Refused error={begin.error} what="No device can be added now" />
        <Refused error={renew.error} what="The recovery codes were not renewed" />
        {begin.data && (
          <NewDevice
            asked={begin.data}
            onDone={(codes) => {
              begin.reset();
              setRecoveryCodes(codes);
              return refresh();
            }}
          />
        )}
      </Stack>
    </Card>
  );
}

interface NewDeviceProps {
  readonly asked: Schemas['NewSecondFactorView'];
  readonly onDone: (recoveryCodes: readonly string[]) => Promise<void>;
}

function NewDevice({ asked: { secret, uri }, onDone }: NewDeviceProps) {
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/person/second-factor/confirm`, { body: { code } })),
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  });
  return (
    <Form onSubmit={() => confirm.mutate()}>
      <Stack gap="sm">
        <Text size="sm">
          Read this with the app of the device, or type the secret there. Then give the code it shows.
        </Text>
        <Group align="flex-start">
          <Qr text={uri} label="QR code for the app of the device" />
          <Stack gap="sm">
            <Group gap={4} wrap="nowrap">
              <Code className="breaks">{secret}</Code>
              <Copy value={secret} of="the secret" />
            </Group>
            <TextInput
              label="First code of the device"
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              maxLength={12}
              inputMode="numeric"
              autoComplete="one-time-code"
            />
            <Group>
              <Button type="submit" loading={confirm.isPending} disabled={code.trim() === ''}>
                Confirm the device
              </Button>
            </Group>
          </Stack>
        </Group>
        <Refused error={confirm.error} what="The device was not confirmed" />
      </Stack>
    </Form>
  );
}

function RecoveryCodes({ codes, onKept }: { readonly codes: readonly string[]; readonly onKept: () => void }) {
  const { data: passkeys = [] } = useQuery(passkeysQuery);
  return (
    <Alert color="green" title="Keep these ten recovery codes. They are shown once">
      <Stack gap="sm">
        <Text size="sm">
          Each signs you in once in place of the device. Keep them where the device is not: without both, only the
          operator of this installation can help you.
        </Text>
        {passkeys.length > 0 && (
          <Text size="sm">
            Your passkeys go on and need no code: {passkeys.map(({ name }) => name).join(', ')}. Remove those that you
            do not know.
          </Text>
        )}
        <Code block>{codes.join('\n')}</Code>
        <Group>
          <Copy value={codes.join('\n')} of="the recovery codes" />
          <Button size="xs" variant="default" onClick={onKept}>
            I have kept them
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
