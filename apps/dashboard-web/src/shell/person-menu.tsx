import { Box, Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { api, contentOf, SDK } from '../api/client';
import { meQuery } from '../api/queries';
import { Icon } from '../ui/icon';
import { useScope } from './use-scope';

export function PersonMenu() {
  const { data: me } = useSuspenseQuery(meQuery);
  const { accountId } = useScope();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/session`)),
    onSuccess: async () => {
      await navigate({ to: '/sign-in', search: { from: undefined } });
      queries.clear();
    },
  });
  const { name, walletAddress } = me.person;
  const shown = name || (walletAddress ? `${walletAddress.slice(0, 6)}…${walletAddress.slice(-4)}` : 'You');
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="default" aria-label={`You: ${shown}`} maw={200} px="xs">
          <Icon name="person" />
          <Box component="span" visibleFrom="sm" ml={8} style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
            {shown}
          </Box>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={`/a/${accountId}/you`}>
          You and your sessions
        </Menu.Item>
        <Menu.Item component="a" href="/docs" target="_blank">
          REST documentation
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.mutate()} disabled={signOut.isPending}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
