import type { Browser, Page } from 'playwright-core';
import { atRest } from './support/at-rest';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { goTo } from './support/go-to';
import { fillHostileAccount, type HostileAccount } from './support/hostile-account';
import { hostile } from './support/hostile-text';
import { routesOfPage } from './support/routes-of-page';

const ACCOUNT = '/a/$accountId';
const PAYMASTER = `${ACCOUNT}/p/$paymasterId`;

/** The address of each route of the page's router, and texts that its screen shows. `$` begins a part of HostileAccount. */
const SCREENS: readonly (readonly [address: string, shows: readonly string[]])[] = [
  ['/', [hostile('reason')]],
  ['/sign-in', ['Sign in']],
  ['/no-account', ['Your first account']],
  ['/operator', [hostile('account'), hostile('paymaster'), hostile('reason')]],
  ['/operator?view=chains', ['Paymaster contracts']],
  [ACCOUNT, [hostile('paymaster'), hostile('reason')]],
  [`${ACCOUNT}/new`, ['New paymaster']],
  [`${ACCOUNT}/you`, [hostile('person'), 'browser <img src=x onerror=canary()>']],
  [`${ACCOUNT}/team`, [hostile('person'), hostile('invitation'), hostile('token')]],
  [
    `${ACCOUNT}/audit-log`,
    ['account', 'paymaster', 'policy', 'shared', 'key', 'session key', 'contract'].map((what) => hostile(what)),
  ],
  [`${ACCOUNT}/projects`, [hostile('paymaster')]],
  [`${ACCOUNT}/shared-policies`, [hostile('shared'), hostile('paymaster')]],
  [PAYMASTER, [hostile('paymaster'), hostile('reason')]],
  [`${PAYMASTER}/start`, ['Say who pays']],
  [`${PAYMASTER}/operations?open=$operationId`, [hostile('message'), hostile('contract')]],
  [`${PAYMASTER}/requests?open=$entryId`, [hostile('message'), 'The operation, without its signatures']],
  [`${PAYMASTER}/explain`, ['Nothing was asked yet']],
  [`${PAYMASTER}/explain?request=$entryId`, ['as it was sent']],
  [`${PAYMASTER}/contracts`, [hostile('contract')]],
  [`${PAYMASTER}/wallet`, ['No wallet is linked yet']],
  [`${PAYMASTER}/policies`, [hostile('policy'), hostile('asked'), 'https://hooks.example.org/decision']],
  [`${PAYMASTER}/keys`, [hostile('key'), hostile('session key')]],
  [`${PAYMASTER}/tokens`, [hostile('symbol')]],
  [`${PAYMASTER}/alerts`, [hostile('alert'), 'https://hooks.example.org/…']],
  [`${PAYMASTER}/webhooks?open=$webhookId`, ['https://hooks.example.org/webhook', hostile('lastAnswer')]],
  [`${PAYMASTER}/settings`, ['Spending brake']],
];

/** What others than the people of an account write: tokens, servers of webhooks, browsers, gateways. */
const ANSWERS_OF_OTHERS = /\/sdk\/(token|operation|request-log|price|sessions|webhook\/deliveries)(\/|\?|$)/;
/** With markup, a change of direction and 10,000 characters. */
const HOSTILE_TEXTS = ['symbol', 'message', 'lastAnswer', 'lastProblem', 'browser'].map(
  (name) => [name, `${hostile(name)}\u202E${'long'.repeat(2_500)}`] as const,
);
/**
 * The dashboard's answers, with such a text in what others wrote. In the page, because a browser whose requests go through
 * a test keeps no file of the page.
 */
const ANSWER_WITH_MARKUP = `
  const ask = globalThis.fetch;
  const texts = new Map(${JSON.stringify(HOSTILE_TEXTS)});
  globalThis.fetch = async (...given) => {
    const answer = await ask(...given);
    if (!${String(ANSWERS_OF_OTHERS)}.test(answer.url)) return answer;
    const json = JSON.parse(await answer.text(), (name, value) => texts.get(name) ?? value);
    return Response.json(json, { status: answer.status, headers: answer.headers });
  };`;

/** Elements and links that only markup of a stored text could have made. */
const FROM_MARKUP = `[...document.querySelectorAll('img[src=x], [onerror], [href^="javascript:" i], script:not([src])')]
  .map(({ outerHTML }) => outerHTML).filter((html) => html.includes('canary'))`;

/** 640: a window of 1280 px at 200 %. */
const WIDTHS = [1920, 1280, 768, 640, 360];
const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth';

let browser: Browser;
let page: Page;
let filled: HostileAccount;

beforeAll(async () => {
  browser = await openBrowser();
  ({ page } = await openTab(browser));
  filled = await fillHostileAccount(page);
  await page.addInitScript(ANSWER_WITH_MARKUP);
});

afterAll(() => browser?.close());

it('each route of the router is in the table of screens', () => {
  expect([...new Set(SCREENS.map(([address]) => address.replace(/\?.*/, '')))].sort()).toEqual(routesOfPage());
});

it.each(SCREENS)('%s shows markup as text, is accessible in light and dark, and fits', async (address, shows) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await goTo(
    page,
    address.replace(/\$(\w+)/g, (_, part: keyof HostileAccount) => filled[part]),
  );
  for (const text of shows) await page.getByText(text).first().waitFor({ state: 'attached' });
  expect(await page.evaluate(FROM_MARKUP)).toEqual([]);
  expect(await seriousViolations(page)).toEqual([]);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await atRest(page);
    expect({ width, overflow: await page.evaluate(OVERFLOW) }).toEqual({ width, overflow: 0 });
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
});
