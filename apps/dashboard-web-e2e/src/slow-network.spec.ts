import type { Browser, Route } from 'playwright-core';
import { openBrowser, openTab, type Tab } from './support/browser';
import { layoutShift, watchLayout } from './support/layout-shift';
import { signIn } from './support/sign-in';

const API = '**/api/v2/public/sdk/**';
const MOST_SHIFT = 0.05;

let browser: Browser;
let tab: Tab;
/** The path of the seeded paymaster. */
let seeded: string;

beforeAll(async () => {
  browser = await openBrowser();
  tab = await openTab(browser);
  await watchLayout(tab.context);
  seeded = await signIn(tab.page);
});

afterEach(() => tab.page.unrouteAll({ behavior: 'ignoreErrors' }));

afterAll(() => browser?.close());

/** Lets a request through; that of a document which is gone is nobody's. */
const goOn = (route: Route) => route.continue().catch(() => undefined);

/** Each answer comes at another time, so each order of them happens. */
async function answerInAnyOrder(): Promise<void> {
  let asked = 0;
  await tab.page.route(API, (route) => {
    setTimeout(() => void goOn(route), ((asked++ * 7) % 5) * 150);
  });
}

describe('while the API is slow', () => {
  it('shows header and navigation at once, and the screen where they led meanwhile', async () => {
    const { page } = tab;
    const held: Route[] = [];
    // What the last document still asks is not what this one asks.
    await page.goto('about:blank');
    await page.route(API, (route) => void held.push(route));
    await page.goto(seeded);
    await page.getByRole('status', { name: 'The screen is on its way' }).waitFor();
    const operations = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Operations' });
    await operations.waitFor();
    expect(await page.getByRole('link', { name: 'Keys and code' }).count()).toBe(0);
    expect(held.map((route) => new URL(route.request().url()).pathname.split('/').at(-1))).toEqual(['session']);
    await operations.click();
    await page.waitForURL(/\/operations/);
    await page.unroute(API);
    await Promise.all(held.map(goOn));
    await page.getByRole('heading', { name: 'Operations', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Keys and code' }).waitFor();
    await page.getByRole('button', { name: /^You: / }).waitFor();
  });

  it('goes from screen to screen without waiting for who the reader is', async () => {
    const { page } = tab;
    await page.goto(`${seeded}/settings`);
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
    await page.route(API, () => undefined);
    await page.getByRole('link', { name: 'Wallet', exact: true }).click();
    await page.getByRole('heading', { name: 'Wallet', exact: true }).waitFor();
  });

  it.each([
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
    { width: 1920, height: 1080 },
  ])('the overview does not jump at $width px', async (size) => {
    const { page } = tab;
    await page.setViewportSize(size);
    await answerInAnyOrder();
    await page.goto(seeded);
    await page.locator('.uplot').waitFor();
    await page.getByRole('heading', { name: 'Why requests were refused' }).waitFor();
    await page.waitForLoadState('load');
    // What comes later than it is waited for above.
    await page.waitForTimeout(1_500);
    const { sum, moved } = await layoutShift(page);
    expect([sum <= MOST_SHIFT, sum, moved]).toEqual([true, sum, moved]);
  });
});

it('loads the files of the page compressed, and the answers of the API as they are', async () => {
  const { page } = tab;
  const encodings = new Map<string, Set<string | undefined>>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    const kind = pathname.startsWith('/assets/') ? 'assets' : pathname.startsWith('/api/') ? 'API' : 'documents';
    const encoding = response.headers()['content-encoding'];
    encodings.set(kind, (encodings.get(kind) ?? new Set()).add(encoding));
  });
  await page.goto(seeded);
  await page.locator('.uplot').waitFor();
  // A file of a few bytes is as long when it is compressed.
  encodings.get('assets')?.delete(undefined);
  expect(Object.fromEntries([...encodings].map(([kind, found]) => [kind, [...found]]))).toEqual({
    ...{ documents: [undefined], assets: ['br'], API: [undefined] },
  });
});
