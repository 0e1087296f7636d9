import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { meQuery } from '../api/queries';
import { CoinPrice } from '../ui/coin-price';
import { Frame } from './frame';
import { LateBanner } from './late-banner';
import { Navigation } from './navigation';
import { PersonMenu } from './person-menu';
import { SecondFactorBanner } from './second-factor-banner';
import { SuspensionBanner } from './suspension-banner';
import { Switcher } from './switcher';
import { useCoinPrice } from './use-coin-price';
import { useLive } from './use-live';
import { useRole } from './use-scope';

/** The frame around every screen of an account. */
export function Shell() {
  useLive();
  const coinPrice = useCoinPrice();
  const rights = useRole();
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Frame
      person={<PersonMenu />}
      switcher={<Switcher />}
      navigation={<Navigation rights={rights} isOperator={me.person.isOperator} />}
    >
      <LateBanner />
      <SecondFactorBanner />
      <SuspensionBanner />
      <CoinPrice.Provider value={coinPrice}>
        <Outlet />
      </CoinPrice.Provider>
    </Frame>
  );
}
