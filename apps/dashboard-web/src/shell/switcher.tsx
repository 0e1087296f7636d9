import { Button, NativeSelect, Skeleton, Stack } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { chainsQuery, meQuery, paymastersQuery } from '../api/queries';
import { Icon } from '../ui/icon';
import { useChosen, useRole, useScope } from './use-scope';

/** Which account and which paymaster the screens are about. Both are in the URL; the screen stays the same. */
export function Switcher() {
  const { accountId } = useScope();
  const chosen = useChosen();
  const { mayChangeKeys } = useRole();
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: paymasters = [], isPending } = useQuery(paymastersQuery(accountId));
  const { data: chains = [] } = useQuery(chainsQuery(accountId));
  const navigate = useNavigate();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const screen = /^\/a\/[^/]+\/p\/[^/]+(\/.*)?$/.exec(path)?.[1] ?? '';
  const known = paymasters.find((each) => each.paymasterId === chosen)?.paymasterId ?? '';
  const nameOf = (chainId: number) => chains.find((chain) => chain.chainId === chainId)?.name ?? `chain ${chainId}`;
  return (
    <Stack gap="xs">
      {me.accounts.length > 1 && (
        <NativeSelect
          label="Account"
          size="sm"
          value={accountId}
          data={me.accounts.map((account) => ({ value: account.accountId, label: account.name }))}
          onChange={(event) => void navigate({ to: `/a/${event.currentTarget.value}` })}
        />
      )}
      {isPending && <Skeleton height={61} />}
      {paymasters.length > 0 && (
        <NativeSelect
          label="Paymaster"
          size="sm"
          value={known}
          data={[
            ...(known ? [] : [{ value: '', label: 'Choose a paymaster' }]),
            ...paymasters.map((each) => ({ value: each.paymasterId, label: `${each.name} (${nameOf(each.chainId)})` })),
          ]}
          onChange={(event) => {
            const next = event.currentTarget.value;
            if (next) void navigate({ to: `/a/${accountId}/p/${next}${screen}` });
          }}
        />
      )}
      {mayChangeKeys && (
        <Button
          component={Link}
          to={`/a/${accountId}/new`}
          variant="subtle"
          size="compact-sm"
          justify="flex-start"
          leftSection={<Icon name="plus" size={14} />}
        >
          New paymaster
        </Button>
      )}
    </Stack>
  );
}
