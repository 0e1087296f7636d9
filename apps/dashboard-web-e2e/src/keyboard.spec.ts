import type { Browser, Page } from 'playwright-core';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster, type EmptyPaymaster } from './support/empty-paymaster';
import { Keyboard } from './support/keyboard';
import { playFirstRun } from './support/play-first-run';
import { signIn, signInCode } from './support/sign-in';
import { installWallet } from './support/wallet';

const DAILY = { scope: 'USER', measure: 'COUNT', amount: 10, cycle: 'DAY' } as const;

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

it('leads from a wallet and nothing else to the code for an app', async () => {
  const { page, context } = await openTab(browser);
  await installWallet(context);
  expect(await playFirstRun(page, new Keyboard(page), `By keys ${Date.now()}`)).toContain('createPaymasterClient');
  await context.close();
});

it('shows in the dark too what has the focus: in a list of operations, and in what asks for attention', async () => {
  const { page, context } = await openTab(browser);
  await page.emulateMedia({ colorScheme: 'dark' });
  const keys = new Keyboard(page);
  const seeded = await signIn(page);
  await page.goto(`${seeded}/operations`);
  await keys.reach(page.getByRole('button', { name: /^Open the operation of/ }).nth(1));
  const { account } = await emptyPaymaster();
  await page.goto(await signIn(page, { account }));
  await keys.reach(page.getByRole('link', { name: 'Link a wallet' }));
  await context.close();
});

describe('On a paymaster with two policies', () => {
  let mine: EmptyPaymaster;
  let page: Page;
  let keys: Keyboard;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');

  beforeAll(async () => {
    mine = await emptyPaymaster();
    for (const [index, name] of ['First', 'Second'].entries()) {
      const policyData = { priority: 100 + index, limits: [DAILY] };
      const body = { name, policyType: 'RULES', policyData } as const;
      await mine.client.call('post', '/paymaster-policy', { apiKey: mine.apiKey, body });
    }
    ({ page } = await openTab(browser));
    keys = new Keyboard(page);
    await page.goto(`/sign-in#code=${await signInCode({ account: mine.account })}`);
    await keys.press(button('Sign in with the code'));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('edits a policy: adds a rule, changes a value, saves, and is back where the reader was', async () => {
    await keys.press(page.getByRole('link', { name: 'Policies', exact: true }));
    await keys.press(button('Edit Second'));
    await keys.write(dialog().getByLabel('At most', { exact: true }), '3');
    await keys.press(dialog().getByRole('switch', { name: 'Calls in one operation' }));
    const calls = dialog().getByLabel('At most so many calls');
    await keys.reach(calls);
    await page.keyboard.press('ArrowUp');
    await dialog().getByText('An operation may make at most 6 calls.').waitFor();
    await keys.press(button('Save the policy'));
    await dialog().waitFor({ state: 'hidden' });
    await page.getByText('Each account: at most 3 operations in each day (UTC).').waitFor();
    await page.getByText('An operation may make at most 6 calls.').waitFor();
    await keys.arriveAt(button('Edit Second'));
  });

  it('moves a policy until it is the first, and keeps the focus', async () => {
    const names = () => page.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(await names()).toEqual(['First', 'Second']);
    await keys.press(button('Ask Second earlier'));
    await button('Ask Second earlier').and(page.locator('[aria-disabled=true]')).waitFor();
    expect(await names()).toEqual(['Second', 'First']);
    await keys.arriveAt(button('Ask Second earlier'));
  });

  it('keeps the focus in a dialog, and gives it back', async () => {
    await keys.press(button('Delete First'));
    await keys.arriveAt(button('Keep it'));
    await keys.reach(button('Close'), 'Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await keys.arriveAt(dialog().getByRole('button', { name: 'Delete', exact: true }));
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    await keys.arriveAt(button('Delete First'));
  });

  it('skips to the content, and opens menus', async () => {
    await page.reload();
    await page.getByRole('heading', { name: 'First' }).waitFor();
    await keys.press(page.getByRole('link', { name: 'Skip to the content' }));
    await keys.reach(button('Export'));
    const menu = page.getByRole('button', { name: /^You: / });
    await keys.reach(menu, 'Shift+Tab');
    await page.keyboard.press('Enter');
    const sessions = page.getByRole('menuitem', { name: 'You and your sessions' });
    // An arrow that is pressed before the menu has the focus goes nowhere.
    await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowDown');
    await keys.arriveAt(sessions);
    await page.keyboard.press('Escape');
    await sessions.waitFor({ state: 'hidden' });
    await keys.arriveAt(menu);
  });

  it('finds on a phone what is in sight only, and opens the navigation', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.reload();
    await keys.press(button('Open the navigation'));
    await keys.press(page.getByRole('link', { name: 'Contracts' }));
    await page.getByRole('heading', { name: 'Contracts' }).waitFor();
    await keys.press(button('Open the navigation'));
    await page.keyboard.press('Escape');
    await keys.arriveAt(button('Open the navigation'));
    await keys.reach(page.getByRole('main').getByRole('button', { name: 'Register a contract' }).first());
  });
});
