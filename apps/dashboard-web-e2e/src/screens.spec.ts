import { generateKeyPairSync } from 'node:crypto';
import { demoCounterAbi } from '@paymaster/contract-abis';
import { landed, readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, Page } from 'playwright-core';
import { encodeFunctionData } from 'viem';
import { atRest } from './support/at-rest';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab, type Tab } from './support/browser';
import { emptyPaymaster, type EmptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { confirm, tryAgain } from './support/hands';
import { signIn, signInCode } from './support/sign-in';
import { userOfApp } from './support/user-of-app';

/** @returns the place in the list of the last row that is in the document */
const SCROLL_TO_THE_END = `
  scrollTo(0, document.body.scrollHeight);
  Number([...document.querySelectorAll('[role=row]')].at(-1).ariaRowIndex)`;
/** Whether the notice of a lost connection is above everything that is open. */
const IS_ON_TOP = `
  (([notice]) => {
    const { left, top, width, height } = notice.getBoundingClientRect();
    return notice.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  })([...document.querySelectorAll('[role=alert]')].filter((each) => each.textContent.includes('The connection is lost')))`;
/** Notes in each frame how long what moves or fades takes, by what it is; milliseconds. */
const WATCH_MOTION = `
  globalThis.longestMotionMs = {};
  (function watch() {
    for (const motion of document.getAnimations()) {
      const { delay, activeDuration } = motion.effect.getComputedTiming();
      const what = (motion.animationName ?? motion.transitionProperty) + ' of ' + motion.effect.target?.className;
      longestMotionMs[what] = Math.max(longestMotionMs[what] ?? 0, delay + activeDuration);
    }
    requestAnimationFrame(watch);
  })()`;
/** How far to the right the cards of numbers go, row by row. */
const ENDS_OF_ROWS = `
  [...Map.groupBy(
    [...document.querySelectorAll('.figures > div > *')].map((card) => card.getBoundingClientRect()),
    ({ top }) => Math.round(top),
  ).values()].map((row) => Math.round(Math.max(...row.map(({ right }) => right))))`;
const MARKUP = '<img src=x onerror=alert(1)>';
/** Each screen, and what it says where there is nothing. */
const EMPTY_STATES = [
  ['', 'No wallet is linked, so nothing is sponsored'],
  ['/operations', 'Nobody has asked yet'],
  ['/requests', 'No request was refused'],
  ['/explain', 'Nothing was asked yet'],
  ['/contracts', 'No contract is registered'],
  ['/policies', 'No policy yet'],
  ['/wallet', 'No wallet is linked yet: nothing can be sponsored'],
  ['/keys', 'No named key yet'],
  ['/tokens', 'Add a token'],
  ['/alerts', 'No alert yet'],
  ['/webhooks', 'No webhook yet'],
  ['/settings', 'Spending brake'],
  ['/start', 'Pick what you sponsor'],
  ['/../../shared-policies', 'No shared policy yet'],
] as const;

const REFUSED = {
  status: 503,
  json: { statusCode: 503, message: 'The service is temporarily unavailable', requestId: 'request-1' },
};

let browser: Browser;
let tab: Tab;
let page: Page;
let mine: EmptyPaymaster;
/** The path of the empty paymaster. */
let home: string;

beforeAll(async () => {
  browser = await openBrowser();
  mine = await emptyPaymaster();
  tab = await openTab(browser);
  page = tab.page;
  home = await signIn(page, { account: mine.account });
});

afterAll(() => browser?.close());

/** Opens a screen of the empty paymaster by its address. */
async function open(path: string): Promise<void> {
  await goTo(page, `${home}${path}`);
}

describe.each(EMPTY_STATES)('%s, with nothing in it,', (path, says) => {
  it(`says “${says}”, fits into 360 px, and axe finds nothing serious in light and dark`, async () => {
    await page.setViewportSize({ width: 360, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await open(path);
    await expectRight();
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    await expectRight();
  });

  async function expectRight(): Promise<void> {
    await page.getByText(says).first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  }
});

it('registers a contract, shows its name as text, changes its methods and removes it', async () => {
  await open('/contracts?add=true');
  await page.getByRole('textbox', { name: 'Name' }).fill(MARKUP);
  await page.getByRole('textbox', { name: 'Address' }).fill(readStack().demoContract.address);
  await page.getByRole('textbox', { name: 'ABI' }).fill(JSON.stringify(demoCounterAbi));
  await page.getByLabel('increment()').check();
  await page.getByRole('button', { name: 'Sponsor 1 method' }).click();
  await page.getByRole('heading', { name: MARKUP }).waitFor();

  await page.getByRole('button', { name: 'Change methods' }).click();
  await page.getByLabel('increment()').uncheck();
  await page.getByText('No longer sponsored: increment(). Apps that call them will be refused.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('No method is sponsored: all calls to this contract are refused.').waitFor();

  await page.getByRole('button', { name: `Remove ${MARKUP}` }).click();
  await page.getByText('will be refused from now on').waitFor();
  await confirm(page, 'Remove');
  await page.getByText('No contract is registered').waitFor();
});

it('makes a policy in words, tries it on the past, and keeps its history', async () => {
  await open('/policies?open=new');
  await page.getByRole('textbox', { name: 'Name' }).fill('Few a day');
  await page.getByText('Each account: at most 10 operations in each day (UTC).').waitFor();
  await page.getByLabel('At most', { exact: true }).fill('3');
  await page.getByText('Each account: at most 3 operations in each day (UTC).').waitFor();
  await page.getByRole('switch', { name: 'Calls in one operation' }).press('Space');
  await page.getByText('An operation may make at most 5 calls.').waitFor();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('There was no operation to try it on').waitFor();
  await page.getByRole('button', { name: 'Make the policy' }).click();
  await page.getByRole('heading', { name: 'Few a day' }).waitFor();

  await page.getByRole('button', { name: 'History' }).click();
  await page.getByText('created').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Pause Few a day' }).click();
  await confirm(page, 'Pause');
  await page.getByText('paused', { exact: true }).waitFor();
});

it('says after the first operation that a limit is next, unless one is set', async () => {
  const operation = { ...operationOf(0), state: 'settled', success: true };
  await page.route(/\/operation\?/, (route) =>
    route.fulfill({ json: { statusCode: 200, message: '', data: { operations: [operation], nextCursor: null } } }),
  );
  const limit = { _id: 'one', name: 'One', policyType: 'PAYMASTER_SA_LIMIT', policyData: {}, active: true };
  for (const [policies, says] of [
    [[limit], 'A limit is set too.'],
    [[], 'What is next: a limit.'],
  ] as const) {
    await page.route(/\/paymaster-policy\?/, (route) =>
      route.fulfill({ json: { statusCode: 200, message: '', data: policies } }),
    );
    await open('/start?step=operation');
    await page.getByText(says).waitFor();
    await page.unroute(/\/paymaster-policy\?/);
  }
  await page.unroute(/\/operation\?/);
});

it('shows numbers in rows without a gap', async () => {
  await open('');
  await page.getByText('Money lasts').waitFor();
  for (const [width, rows] of [
    [1280, 2],
    [1000, 3],
    [390, 4],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await atRest(page);
    const ends = await page.evaluate<number[]>(ENDS_OF_ROWS);
    expect({ width, rows: ends.length, ends: new Set(ends).size }).toEqual({ width, rows, ends: 1 });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

it('asks before every contract is sponsored, and does not say that all is well then', async () => {
  await open('/settings');
  const everyContract = page.getByRole('switch', { name: 'Sponsor calls to every contract' });
  await everyContract.press('Space');
  await page.getByText('Your whitelist no longer holds.').waitFor();
  expect(await everyContract.isChecked()).toBe(false);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Leave it off' }).click();
  expect(await settings()).toMatchObject({ sponsorAnyContract: false });
  await everyContract.press('Space');
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await until(async () => (await settings()).sponsorAnyContract);
  await open('');
  await page.getByText('Calls to every contract are sponsored').waitFor();
  expect(await page.getByText('All is well').count()).toBe(0);
  await open('/settings');
  await everyContract.press('Space');
  await until(async () => !(await settings()).sponsorAnyContract);
});

const settings = () => mine.client.call('get', '/paymaster-settings', { apiKey: mine.apiKey });

it('shows the second of two who edit a policy what the first changed, and loses nothing that he typed', async () => {
  const first = await openTab(browser);
  await signIn(first.page, { account: mine.account, role: 'editor' });
  const edit = async (of: Page) => {
    await goTo(of, `${home}/policies`);
    await of.getByRole('button', { name: /^Edit .*few a day/i }).click();
    await of.getByRole('dialog').waitFor();
  };
  await edit(page);
  await page.getByRole('textbox', { name: 'Name' }).fill('Very few a day');
  await edit(first.page);
  await first.page.getByLabel('At most', { exact: true }).fill('2');
  await first.page.getByRole('button', { name: 'Save the policy' }).click();
  await first.page.getByText('Each account: at most 2 operations in each day (UTC).').waitFor();

  // Here whether the page has heard of it or not.
  await page.getByRole('button', { name: 'Save the policy' }).click({ force: true });
  const notice = page.getByRole('alert').filter({ hasText: 'Somebody changed this while you edited it' });
  await notice.getByText('Each account: at most 2 operations in each day (UTC).').waitFor();
  await notice.getByText('Name: Very few a day').waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Very few a day');
  expect(await seriousViolations(page)).toEqual([]);
  await notice.getByRole('button', { name: 'Both changes', exact: true }).click();
  expect(await page.getByLabel('At most', { exact: true }).inputValue()).toBe('2');
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.getByRole('heading', { name: 'Very few a day' }).waitFor();

  await edit(page);
  await page.getByRole('textbox', { name: 'Name' }).fill('Few a day again');
  await first.page.reload();
  // The page would read of the deletion by itself; it has to hear of it from the answer to its save.
  let letRead = () => {};
  const saved = new Promise<void>((resolve) => (letRead = resolve));
  await page.route('**/sdk/paymaster-policy?*', (route) => saved.then(() => route.continue()));
  await first.page.getByRole('button', { name: 'Delete Very few a day' }).click();
  await confirm(first.page, 'Delete');
  await first.page.getByText('No policy yet').waitFor();
  await page.getByRole('button', { name: 'Save the policy' }).click();
  letRead();
  await page.getByText('Somebody deleted this policy').waitFor();
  await page.unroute('**/sdk/paymaster-policy?*');
  await page.getByRole('button', { name: 'Make the policy' }).click();
  await page.getByRole('heading', { name: 'Few a day again' }).waitFor();
  await first.context.close();
});

it('shares a limit in USD between paymasters, says what is used of it, changes and deletes it', async () => {
  await page.route('**/sdk/shared-policy', (route) => route.fulfill(REFUSED));
  await open('/../../shared-policies');
  await page.getByText('The shared policies could not be read').waitFor();
  await page.unroute('**/sdk/shared-policy');
  await tryAgain(page);
  await page.getByRole('button', { name: 'New shared policy' }).first().click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('All chains');
  await form.getByText('All accounts together: at most 100 USD of gas in each month (UTC).').waitFor();
  expect(await form.getByRole('button', { name: 'Make the policy' }).isDisabled()).toBe(true);
  await form.getByRole('checkbox', { name: /^Empty / }).check();
  expect(await seriousViolations(page)).toEqual([]);
  await form.getByRole('button', { name: 'Make the policy' }).click();
  await page.getByRole('heading', { name: 'All chains' }).waitFor();
  await page.getByText(/^Shared by Empty .+ \(.+\)\.$/).waitFor();
  await page.getByRole('button', { name: 'Show what is used' }).click();
  await page.getByText('used 0 USD of 100 USD, resets at').waitFor();

  await page.getByRole('button', { name: 'Edit All chains' }).click();
  await form.getByLabel('At most, in USD').fill('lots');
  await form.getByRole('button', { name: 'Save the policy' }).click();
  await form.getByText('The policy was not saved').waitFor();
  await form.getByLabel('At most, in USD').fill('50.5');
  await form.getByRole('button', { name: 'Save the policy' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByText('All accounts together: at most 50.5 USD of gas in each month (UTC).').waitFor();
  await page.getByRole('button', { name: 'Delete All chains' }).click();
  await confirm(page, 'Delete');
  await page.getByText('No shared policy yet').waitFor();
});

it('makes a key that is shown once, and never again', async () => {
  await open('/keys');
  await page.getByRole('button', { name: 'Make a key' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('web app');
  await page.getByRole('dialog').getByRole('button', { name: 'Make the key' }).click();
  await page.getByRole('button', { name: 'Go on without an origin' }).click();
  await page.getByText('The key “web app” is shown once').waitFor();
  await page.reload();
  await page.getByRole('cell', { name: 'web app', exact: true }).waitFor();
  expect(await page.getByText('is shown once').count()).toBe(0);
});

it('says what a key can do, narrows it, replaces its text for a time, and ends it', async () => {
  await open('/keys');
  const row = page.getByRole('row', { name: /^web app/ });
  await row.getByText('It may do all that the paymaster sponsors.').waitFor();
  await page.getByRole('button', { name: 'Edit the key web app' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Networks that it may be sent from').fill('203.0.113.0/33');
  await form.getByLabel('None: apps that use it need another bundler').check();
  await form.getByRole('button', { name: 'Add a limit' }).click();
  await form.getByText('Each account: at most 10 operations in each day (UTC).').waitFor();
  await form.getByRole('button', { name: 'Save the key' }).click();
  await form.getByText('The key was not changed').waitFor();
  await form.getByText(/allowedNetworks must be/).waitFor();
  await form.getByLabel('Networks that it may be sent from').fill('203.0.113.0/24');
  expect(await seriousViolations(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save the key' }).click();
  await row.getByText('It works from 203.0.113.0/24 only.').waitFor();
  await row.getByText('It sends no operations: apps that use it need another bundler.').waitFor();

  await page.getByRole('button', { name: 'Replace the key web app' }).click();
  await page.getByLabel('The old text works').selectOption('another week');
  await confirm(page, 'Replace');
  await page.getByText('The key “web app” is shown once').waitFor();
  await row.getByText('An old text works until').waitFor();

  await page.getByRole('button', { name: 'End the key web app' }).click();
  await confirm(page, 'End');
  await page.getByText('No named key yet').waitFor();
});

it('registers the public key of a server, shows the code that signs with it, and ends it', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  await page.route('**/sdk/session-keys', (route) => route.fulfill(REFUSED));
  await open('/keys');
  await page.getByText('The session keys could not be read').waitFor();
  await page.unroute('**/sdk/session-keys');
  await tryAgain(page);
  await page.getByText('No session key yet').waitFor();
  await page.getByRole('button', { name: 'Register a public key' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('shop');
  await form.getByLabel('Public key').fill(String(privateKey.export({ format: 'pem', type: 'pkcs8' })));
  await form.getByText('This is the private key').waitFor();
  expect(await form.getByRole('button', { name: 'Register the key' }).isDisabled()).toBe(true);
  await form.getByLabel('Public key').fill(String(publicKey.export({ format: 'pem', type: 'spki' })));
  await form.getByRole('button', { name: 'Register the key' }).click();
  await page.getByText("setProtectedHeader({ alg: 'EdDSA'").waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'End the session key shop' }).click();
  await confirm(page, 'End');
  await page.getByText('No session key yet').waitFor();
});

it('finds an operation, says why and what it cost, and keeps the filter in the URL', async () => {
  const other = await openTab(browser);
  const seeded = await signIn(other.page);
  await goTo(other.page, `${seeded}/operations`);
  await other.page.getByLabel('State').selectOption('settled');
  await other.page.waitForURL(/state=settled/);
  await other.page
    .getByRole('button', { name: /^Open the operation of .*: final$/ })
    .first()
    .click();
  await other.page.waitForURL(/open=/);
  const detail = other.page.getByRole('dialog');
  await detail.getByText('It landed in a block that is final now, and is paid.').waitFor();
  await detail.getByText('on DemoCounter').first().waitFor();
  expect(await seriousViolations(other.page)).toEqual([]);
  await other.context.close();
});

it('shows the arguments of what an operation called, from its transaction', async () => {
  const stack = readStack();
  const user = await userOfApp(stack);
  const data = encodeFunctionData({ abi: demoCounterAbi, functionName: 'add', args: [123_456_789n] });
  const hash = await user.send([{ to: stack.demoContract.address, data }]);
  await landed(stack, hash);
  const other = await openTab(browser);
  const seeded = await signIn(other.page);
  await goTo(other.page, `${seeded}/operations?hash=${hash}`);
  await other.page.getByRole('button', { name: /^Open the operation of .*: (landed|final)$/ }).click();
  const detail = other.page.getByRole('dialog');
  await detail.getByText('add(uint256)').waitFor();
  await detail.getByText(/: 123456789$/).waitFor();
  expect(await seriousViolations(other.page)).toEqual([]);
  await other.page.route('**/calls', (route) => route.fulfill(REFUSED));
  await other.page.reload();
  await detail.getByText('Without arguments. They could not be read at the moment.').waitFor();
  await detail.getByText('add(uint256)').waitFor();
  await other.context.close();
});

it('scrolls through a list of many pages with few rows in the document', async () => {
  const many = await openTab(browser);
  const seeded = await signIn(many.page);
  await many.page.route(/\/operation\?/, async (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? '0');
    const operations = Array.from({ length: 100 }, (_, index) => operationOf(from + index));
    await route.fulfill({ json: { statusCode: 200, message: '', data: { operations, nextCursor: `${from + 100}` } } });
  });
  await goTo(many.page, `${seeded}/operations`);
  await many.page.getByRole('row').nth(5).waitFor();
  let last = 0;
  while (last <= 1_000) {
    last = await many.page.evaluate<number>(SCROLL_TO_THE_END);
  }
  expect(await many.page.getByRole('row').count()).toBeLessThan(60);
  await many.context.close();
});

it('says what happened when the dashboard refuses, and reads again', async () => {
  await page.route('**/smart-contract', (route) => route.fulfill(REFUSED));
  // In a new document: the screen before may have read them.
  await page.goto(`${home}/contracts`);
  await page.getByText('The contracts could not be read').waitFor();
  await page.getByText('The service is temporarily unavailable. Try again in a moment.').waitFor();
  await page.getByText('Request request-1').waitFor();
  await page.unroute('**/smart-contract');
  await tryAgain(page);
  await page.getByText('No contract is registered').waitFor();
});

describe('without a connection', () => {
  const notice = () => page.getByRole('alert').filter({ hasText: 'The connection is lost' });
  afterEach(() => tab.context.setOffline(false));

  it('goes on by itself when the dashboard answers again', async () => {
    await open('/wallet');
    await page.getByText('No wallet is linked yet').waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await notice().waitFor();
    await page.unroute('**/api/**');
    await notice().waitFor({ state: 'hidden' });
    await page.getByText('No wallet is linked yet').waitFor();
  });

  const forms = [
    {
      ...{ path: '/policies?open=new', send: 'Make the policy', refusal: 'The policy was not saved' },
      type: () => page.getByRole('textbox', { name: 'Name' }).fill('Typed before'),
      done: () => page.getByRole('heading', { name: 'Typed before' }),
    },
    {
      ...{ path: '/contracts?add=true', send: 'Sponsor 1 method', refusal: 'The contract was not registered' },
      type: async () => {
        await page.getByRole('textbox', { name: 'Name' }).fill('Typed before');
        await page.getByRole('textbox', { name: 'Address' }).fill(readStack().demoContract.address);
        await page.getByRole('textbox', { name: 'ABI' }).fill(JSON.stringify(demoCounterAbi));
        await page.getByLabel('increment()').check();
      },
      done: () => page.getByRole('heading', { name: 'Typed before' }),
    },
    {
      ...{ path: '/webhooks', send: 'Make the webhook', refusal: 'The webhook was not made' },
      type: async () => {
        await page.getByRole('button', { name: 'New webhook' }).first().click();
        await page.getByLabel('URL of your server').fill('https://typed.example.org/');
      },
      done: () => page.getByRole('heading', { name: 'https://typed.example.org/' }),
    },
  ];

  it.each(forms)('keeps what is typed in $path, and takes it when the connection is back', async (form) => {
    await open(form.path);
    await form.type();
    await tab.context.setOffline(true);
    await notice().waitFor();
    // The notice slides in, and a busy machine delays its first step.
    await until(() => page.evaluate<boolean>(IS_ON_TOP), 'the notice is on top');
    await atRest(page);
    expect(await page.evaluate(IS_ON_TOP)).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
    const send = page.getByRole('button', { name: form.send });
    await send.click();
    await page.getByRole('alert').filter({ hasText: form.refusal }).getByText('What you typed is kept').waitFor();
    await tab.context.setOffline(false);
    await notice().waitFor({ state: 'hidden' });
    await send.click();
    await form.done().waitFor();
  });

  it('waits with what is not loaded yet, a chart and a screen, and shows both in the same document', async () => {
    const away = await openTab(browser);
    const chart = '**/assets/usage-over-time*';
    await away.page.route(chart, async (route) => {
      await away.context.setOffline(true);
      // The browser that goes offline may have ended the request itself.
      await route.abort().catch(() => undefined);
    });
    // On the screen: the document is there before the chart is asked for.
    await away.page.goto(`/sign-in#code=${await signInCode({ account: mine.account })}`);
    await away.page.getByRole('button', { name: 'Sign in with the code' }).click();
    await away.page.getByRole('navigation', { name: 'Screens' }).waitFor({ state: 'attached' });
    await away.page.evaluate('globalThis.isSameDocument = true');
    await away.page.getByText('The connection is lost').waitFor();
    await away.page.getByRole('link', { name: 'Settings' }).click();
    await away.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await away.page.unroute(chart);
    await away.context.setOffline(false);
    await away.page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
    await away.page.getByRole('link', { name: 'Overview' }).click();
    await away.page.locator('.uplot').first().waitFor();
    expect(await away.page.evaluate('globalThis.isSameDocument')).toBe(true);
    await away.context.close();
  });
});

it('moves and fades nothing for readers who asked their system for less motion', async () => {
  const moved = async (reducedMotion: 'reduce' | 'no-preference') => {
    const reader = await openTab(browser);
    await reader.context.addInitScript(WATCH_MOTION);
    await reader.page.emulateMedia({ reducedMotion });
    await signIn(reader.page, { account: mine.account });
    await goTo(reader.page, `${home}/policies`);
    await reader.page.getByRole('button', { name: 'New policy' }).first().click();
    await reader.page.getByRole('switch', { name: 'Calls in one operation' }).press('Space');
    await reader.page.getByRole('dialog').getByText('An operation may make at most 5 calls.').waitFor();
    await reader.page.keyboard.press('Escape');
    await reader.page.getByRole('button', { name: 'Discard', exact: true }).click();
    await reader.page.getByRole('dialog').waitFor({ state: 'detached' });
    await reader.page.getByRole('button', { name: 'New policy' }).first().hover();
    await reader.page.setViewportSize({ width: 360, height: 900 });
    await reader.page.getByRole('button', { name: 'Open the navigation' }).click();
    await reader.page.getByRole('link', { name: 'Operations' }).click();
    await reader.page.getByRole('heading', { name: 'Operations' }).waitFor();
    await reader.context.setOffline(true);
    await reader.page.getByText('The connection is lost').waitFor();
    const motion = await reader.page.evaluate<Record<string, number>>('longestMotionMs');
    await reader.context.close();
    return motion;
  };
  // The same way with motion shows that the watch sees it.
  expect(Object.values(await moved('no-preference')).some((ms) => ms >= 100)).toBe(true);
  expect(Object.entries(await moved('reduce')).filter(([, ms]) => ms > 1)).toEqual([]);
});

describe('a network that has used half of what it may cost', () => {
  const near = {
    ...{ network: '198.51.100.7', contract: `0x${'11'.repeat(20)}` },
    ...{ usedWei: '15000000000000000', roomWei: '30000000000000000', at: new Date().toISOString() },
  };
  const servers = async () => (await mine.client.call('get', '/paymaster-settings', { apiKey: mine.apiKey })).servers;

  it('is named as the owner’s server with one click, and that is taken back with another', async () => {
    // What the ledger would have told.
    await page.route('**/funding-wallet', async (route) => {
      const answer = await route.fetch();
      const { data, ...rest } = (await answer.json()) as { data: object };
      const nearNetworks = (await servers()).includes(near.network) ? [] : [near];
      // A request that is under way at the end of the test is let through by `unroute`, and handled then.
      const json = { ...rest, data: { ...data, nearNetworks } };
      await route.fulfill({ response: answer, json }).catch(() => undefined);
    });
    await open('');
    await page.getByText('198.51.100.7 has used half of what it may cost you in an hour').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'It is my server' }).click();
    await page.getByText('198.51.100.7 is named as your server').waitFor();
    expect(await servers()).toEqual([near.network]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'It is my server' }).waitFor();
    expect(await servers()).toEqual([]);
    await page.unroute('**/funding-wallet');
  });

  it('can be named in the settings before', async () => {
    await open('/settings');
    await page.getByRole('textbox', { name: 'Your servers' }).fill('203.0.113.0/24\n2001:db8:1::/48');
    await page.getByRole('button', { name: 'Save: Your servers' }).click();
    await until(async () => (await servers()).length === 2);
    await page.reload();
    expect(await page.getByRole('textbox', { name: 'Your servers' }).inputValue()).toBe(
      '203.0.113.0/24\n2001:db8:1::/48',
    );
    await page.getByRole('textbox', { name: 'Your servers' }).fill('0.0.0.0/0');
    await page.getByRole('button', { name: 'Save: Your servers' }).click();
    await page.getByText('each value in servers must be an IPv4 or IPv6 address').waitFor();
    await mine.client.call('patch', '/paymaster-settings', { apiKey: mine.apiKey, body: { servers: [] } });
  });
});

it('shows a viewer neither keys, nor whole addresses of webhooks, nor buttons that change something', async () => {
  const webhookUrl = 'https://hooks.example.org/services/hunter2';
  const body = { webhookUrl, requestType: 'POST' as const, events: ['settled' as const], active: false };
  await mine.client.call('post', '/webhook', { apiKey: mine.apiKey, body });
  const viewer = await openTab(browser);
  await signIn(viewer.page, { account: mine.account, role: 'viewer' });
  await goTo(viewer.page, `${home}/policies`);
  await viewer.page.getByRole('heading', { name: 'Few a day' }).waitFor();
  expect(await viewer.page.getByRole('button', { name: /New policy|Edit|Pause|Delete|History/ }).count()).toBe(0);
  expect(await viewer.page.getByRole('link', { name: 'Keys and code' }).count()).toBe(0);
  await goTo(viewer.page, `${home}/webhooks`);
  await viewer.page.getByRole('heading', { name: 'hooks.example.org', exact: true }).waitFor();
  await viewer.page.getByText('You see the host of each address only').waitFor();
  expect(await viewer.page.getByRole('button', { name: 'Show the deliveries' }).count()).toBe(0);
  for (const [path, says] of [
    ['/settings', 'Your role does not let you change settings'],
    ['/start?step=contract', 'Your role does not let you register a contract'],
    ['/keys', 'Your role does not let you see keys'],
  ] as const) {
    await goTo(viewer.page, `${home}${path}`);
    await viewer.page.getByText(says).waitFor();
    expect(await viewer.page.getByText('could not be read').count()).toBe(0);
  }
  await open('/webhooks');
  await page.getByRole('heading', { name: webhookUrl }).waitFor();
  await viewer.context.close();
});

it('leads to the sign-in when the session has ended, and back to where the reader was', async () => {
  await tab.context.clearCookies();
  await goTo(page, `${home}/webhooks`);
  await page.waitForURL(/\/sign-in\?from=/);
  expect(new URL(page.url()).searchParams.get('from')).toMatch(/\/webhooks$/);
});

function operationOf(index: number): object {
  return {
    ...{ id: `operation-${index}`, state: 'refused', mode: 'sponsored', chainId: 31337, nonce: '0', grants: 0 },
    ...{ sender: `0x${index.toString(16).padStart(40, '0')}`, entryPointVersion: '0.7', requestId: null },
    ...{ policyId: null, policyVersion: null, reason: 'METHOD_NOT_WHITELISTED', message: '', details: null },
    ...{ targets: null, trace: null, fundingWallet: null, expectedCostWei: null, validUntil: null },
    ...{ actualCostWei: null, gasCostWei: null, success: null, userOpHash: null, transactionHash: null },
    ...{
      blockNumber: null,
      voidReason: null,
      bundler: null,
      createdAt: '2026-11-25T00:00:00.000Z',
      updatedAt: '2026-11-25T00:00:00.000Z',
    },
  };
}
