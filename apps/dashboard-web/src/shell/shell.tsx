import { AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { CoinPrice } from '../ui/coin-price';
import { ColorSchemeButton } from './color-scheme-button';
import { LateBanner } from './late-banner';
import { Navigation } from './navigation';
import { PersonMenu } from './person-menu';
import { SuspensionBanner } from './suspension-banner';
import { Switcher } from './switcher';
import { useCoinPrice } from './use-coin-price';
import { useLive } from './use-live';

/** The frame around every screen of an account. */
export function Shell() {
  useLive();
  const coinPrice = useCoinPrice();
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
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Screens">
        <AppShell.Section pb="sm">
          <Switcher />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea}>
          <Navigation />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" ref={main} tabIndex={-1} style={{ outline: 'none' }}>
        <div style={{ maxWidth: 1440, margin: '0 auto' }}>
          <LateBanner />
          <SuspensionBanner />
          <CoinPrice.Provider value={coinPrice}>
            <Outlet />
          </CoinPrice.Provider>
        </div>
      </AppShell.Main>
    </AppShell>
  );
}
