import { readStack } from '@paymaster/devnet';
import type { Page } from 'playwright-core';

/**
 * A script for the page. It finds the page's cache of answers through what React keeps on the root element, because the
 * page hands its cache to nobody. It forgets what screens before had read, so that the next screen asks the dashboard. Then
 * it moves to the address, and waits until the router shows that screen.
 */
const goesTo = (address: string): string => `(async () => {
  const root = document.getElementById('root');
  const cacheIn = (part) => part && (part.memoizedProps?.client ?? cacheIn(part.child) ?? cacheIn(part.sibling));
  const container = Object.keys(root).find((key) => key.startsWith('__reactContainer$'));
  const cache = cacheIn(root[container].stateNode.current);
  cache.removeQueries({ type: 'inactive' });
  cache.invalidateQueries({ refetchType: 'none' });
  history.pushState(null, '', '${address}');
  const isThere = ({ status, location, resolvedLocation }) => status === 'idle' && location.href === resolvedLocation?.href;
  do await new Promise(requestAnimationFrame);
  while (!isThere(__TSR_ROUTER__.state));
})()`;

/**
 * Shows another screen in the document that the tab has, as a link does. That takes a third of what a new document takes,
 * which `page.goto` makes. A tab that has no document of the page yet, or this very screen, gets a new one.
 *
 * @param path from the root of the page
 */
export async function goTo(page: Page, path: string): Promise<void> {
  const { dashboard } = readStack();
  const { href, pathname } = new URL(path, dashboard);
  const now = new URL(page.url());
  if (now.origin !== dashboard || now.pathname === pathname) await page.goto(href);
  else await page.evaluate(goesTo(href));
}
