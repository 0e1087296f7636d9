import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { ColorSchemeButton } from './color-scheme-button';

interface Props {
  readonly person?: ReactNode;
  readonly switcher: ReactNode;
  readonly navigation: ReactNode;
  readonly children: ReactNode;
}

/** Header and navigation around the screens of an account. */
export function Frame({ person, switcher, navigation, children }: Props) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  useEffect(close, [path, close]);
  useEffect(() => {
    const focused = document.activeElement;
    if (!opened && focused?.checkVisibility({ visibilityProperty: true }) === false) main.current?.focus();
  }, [opened]);
  return (
    <AppShell
      data-navigation={opened ? 'open' : 'closed'}
      onKeyDown={({ key }) => key === 'Escape' && close()}
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#main" onClick={() => main.current?.focus()}>
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close the navigation' : 'Open the navigation'}
              aria-expanded={opened}
            />
            <Link to="/" className="row-link" aria-label="Paymaster, start page">
              <Group gap={8} wrap="nowrap">
                <img src="/favicon.svg" width={26} height={26} alt="" />
                <Text fw={700}>Paymaster</Text>
              </Group>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorSchemeButton />
            {person}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Screens">
        <AppShell.Section pb="sm">{switcher}</AppShell.Section>
        <AppShell.Section grow style={{ overflowY: 'auto' }}>
          {navigation}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" ref={main} tabIndex={-1} style={{ outline: 'none' }}>
        <div style={{ maxWidth: 1440, margin: '0 auto' }}>{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}
