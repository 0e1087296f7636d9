import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keyOf, settingsQuery, type Schemas } from '../../api/queries';
import { useChain, useRole, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Icon } from '../../ui/icon';
import { Problem } from '../../ui/problem';
import { When } from '../../ui/when';

type NearNetwork = Schemas['NearNetworkView'];

/** Networks that have used half of what one network may cost in an hour: one click says that one is the owner's server. */
export function NearNetworks({ networks }: { readonly networks: readonly NearNetwork[] }) {
  const scope = useScope();
  const queries = useQueryClient();
  const [lastNamed, setLastNamed] = useState<string>();
  const change = useMutation({
    mutationFn: async ({ network, isServer }: { network: string; isServer: boolean }) => {
      // As they are now: somebody else may have named one meanwhile.
      const { servers } = await queries.fetchQuery({ ...settingsQuery(scope), staleTime: 0 });
      const others = servers.filter((server) => server !== network);
      const body = { servers: isServer ? [...others, network] : others };
      return contentOf(api.PATCH(`${SDK}/paymaster-settings`, { headers: headersOf(scope), body }));
    },
    onSuccess: async (_saved, { network, isServer }) => {
      await queries.invalidateQueries({ queryKey: keyOf(scope) });
      setLastNamed(isServer ? network : undefined);
    },
  });
  return (
    <>
      {change.error && <Problem error={change.error} what="The servers were not changed" />}
      {lastNamed !== undefined && (
        <Alert color="green" icon={<Icon name="check" />} title={`${lastNamed} is named as your server`}>
          <Group justify="space-between">
            <Text size="sm">What it asks for is not counted as one stranger’s any more.</Text>
            <Button
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() => change.mutate({ network: lastNamed, isServer: false })}
            >
              Undo
            </Button>
          </Group>
        </Alert>
      )}
      {networks.map((near) => (
        <Notice
          key={`${near.network} ${near.contract}`}
          near={near}
          isPending={change.isPending}
          onName={(network) => change.mutate({ network, isServer: true })}
        />
      ))}
    </>
  );
}

interface NoticeProps {
  readonly near: NearNetwork;
  readonly isPending: boolean;
  readonly onName: (network: string) => void;
}

function Notice({ near, isPending, onName }: NoticeProps) {
  const { symbol } = useChain();
  const { mayWrite } = useRole();
  const { network, usedWei, roomWei, at } = near;
  const who = network ?? 'A user whom your server names';
  return (
    <Alert
      color="yellow"
      icon={<Icon name="warning" />}
      title={`${who} has used half of what it may cost you in an hour`}
    >
      <Stack gap={4}>
        <Text size="sm">
          <Amount wei={usedWei} symbol={symbol} /> of <Amount wei={roomWei} symbol={symbol} />, <When iso={at} />. When
          all of it is used, its requests are refused until the hour has passed.
          {network !== null && ' Is it your server? Then name it, and it is not counted as a stranger.'}
        </Text>
        {network !== null && mayWrite && (
          <Group>
            <Button size="xs" variant="default" loading={isPending} onClick={() => onName(network)}>
              It is my server
            </Button>
          </Group>
        )}
        {network !== null && !mayWrite && <Text size="sm">Ask an owner or editor of the account to name it.</Text>}
      </Stack>
    </Alert>
  );
}
