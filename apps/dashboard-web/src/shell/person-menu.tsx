import { Box, Button, NavLink, Paper } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent, SyntheticEvent, ToggleEvent } from 'react';
import { api, contentOf, SDK } from '../api/client';
import { meQuery } from '../api/queries';
import { Icon } from '../ui/icon';
import { useChosen, useScope } from './use-scope';

const MENU = 'person-menu';
/** Of what is in the menu: arrows lead there, and Tab leads out of it. */
const ITEM = { role: 'menuitem', tabIndex: -1 } as const;

/** The browser opens and closes the menu, and gives the focus back to the button. */
export function PersonMenu() {
  const { data: me } = useSuspenseQuery(meQuery);
  const { accountId } = useScope();
  const chosen = useChosen();
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
    <>
      <Button
        variant="default"
        popoverTarget={MENU}
        aria-haspopup="menu"
        aria-label={`You: ${shown}`}
        maw={200}
        px="xs"
      >
        <Icon name="person" />
        <Box component="span" visibleFrom="sm" ml={8} style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
          {shown}
        </Box>
      </Button>
      <Paper
        id={MENU}
        className="menu"
        popover="auto"
        role="menu"
        aria-label="You"
        withBorder
        shadow="md"
        onToggle={enter}
      >
        <div tabIndex={-1} onKeyDown={moveFocus} onClick={leave}>
          <NavLink
            {...ITEM}
            component={Link}
            to={`/a/${accountId}/you`}
            search={{ at: chosen || undefined } as never}
            label="You and your sessions"
            active={false}
          />
          <NavLink {...ITEM} href="/docs" target="_blank" label="REST documentation" />
          <NavLink
            {...ITEM}
            component="button"
            label="Sign out"
            onClick={() => signOut.mutate()}
            disabled={signOut.isPending}
          />
        </div>
      </Paper>
    </>
  );
}

function enter({ newState, currentTarget }: ToggleEvent<HTMLElement>) {
  if (newState === 'open') currentTarget.querySelector<HTMLElement>('[tabindex]')?.focus();
}

function leave({ currentTarget }: SyntheticEvent<HTMLElement>) {
  currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
}

/** By arrows, from the first item to the last and round; Tab leaves. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  if (event.key === 'Tab') leave(event);
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = items.findIndex((item) => item === document.activeElement);
  const goals: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at <= 0 ? items.length : at) - 1,
    Home: 0,
    End: items.length - 1,
  };
  const goal = goals[event.key];
  if (goal === undefined) return;
  event.preventDefault();
  items[goal]?.focus();
}
