import { readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, Page } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab, type Tab } from './support/browser';
import { emptyPaymaster, type EmptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { confirm } from './support/hands';
import { signIn } from './support/sign-in';

/** A PNG of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Screens that answers with the key could be for, and what each shows when it has been answered. */
const SCREENS = [
  ['', 'No wallet is linked, so nothing is sponsored'],
  ['/keys', 'No named key yet'],
  ['/settings', 'Spending brake'],
  ['/start?step=operation', 'Waiting for the first request'],
  ['/start?step=wallet', 'Sign elsewhere'],
] as const;

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

/** Everything in the memory of the page, as the debugger of the browser writes it. */
async function memoryOf(of: Page): Promise<string> {
  const debug = await of.context().newCDPSession(of);
  const chunks: string[] = [];
  debug.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await debug.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await debug.detach();
  return chunks.join('');
}

/** Notes all that the page is answered from now on. */
function answersTo(of: Page): { readonly texts: readonly string[] } {
  const texts: string[] = [];
  of.on('response', (response) => {
    if (response.url().includes('/sdk/') && !response.url().endsWith('/events')) {
      void response.text().then(
        (text) => texts.push(text),
        () => undefined,
      );
    }
  });
  return { texts };
}

const mainKey = () => page.getByRole('button', { name: 'Show the main key', exact: true });
const settings = () => mine.client.call('get', '/paymaster-settings', { apiKey: mine.apiKey });

describe('the main key', () => {
  it('is in no answer, in no document and in no memory of the page before somebody asks for it', async () => {
    const { texts } = answersTo(page);
    for (const [path, says] of SCREENS) {
      await goTo(page, home + path);
      await page.getByText(says).first().waitFor();
      expect(await page.content()).not.toContain(mine.apiKey);
      expect(await memoryOf(page)).not.toContain(mine.apiKey);
    }
    expect(texts.length).toBeGreaterThan(SCREENS.length);
    expect(texts.join()).not.toContain(mine.apiKey);
  });

  it('is in no answer when a paymaster is made', async () => {
    const { texts } = answersTo(page);
    await goTo(page, `${home.replace(/\/p\/.*/, '')}/new`);
    await page.getByRole('textbox', { name: 'Name' }).fill(`Second ${mine.name}`);
    await page.getByRole('button', { name: 'Make the paymaster' }).click();
    await page.getByRole('heading', { name: 'First operation' }).waitFor();
    const keys = (await mine.client.call('get', '/paymaster')).map(({ apiKey }) => apiKey);
    expect(keys).toHaveLength(2);
    for (const apiKey of keys) expect(texts.join()).not.toContain(apiKey);
  });

  it('is shown when its reader asks, which the audit log tells, and is gone with the screen', async () => {
    await goTo(page, `${home}/keys`);
    await mainKey().click();
    await page.getByText(mine.apiKey, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page
      .getByRole('paragraph')
      .filter({ hasText: /^Key\b/ })
      .waitFor();
    await page.getByText('shown', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(mine.apiKey);
  });

  it('is replaced while the old one still works, and the old one is ended', async () => {
    await goTo(page, `${home}/keys`);
    await page.getByRole('button', { name: 'Replace the main key' }).click();
    await page.getByText('go on working with it for as long as you choose').waitFor();
    await page.getByLabel('The old key works').selectOption('another week');
    expect(await seriousViolations(page)).toEqual([]);
    await confirm(page, 'Replace the main key');
    await page.getByText(/^An old main key works until/).waitFor();
    const [{ apiKey } = { apiKey: '' }] = await mine.client.call('get', '/paymaster');
    expect(apiKey).not.toBe(mine.apiKey);
    await page.getByText(apiKey, { exact: true }).waitFor();
    expect((await settings()).spendingBrake).toBe(true);

    await page.getByRole('button', { name: 'End the old key now' }).click();
    await page.getByText('is refused from this moment on').waitFor();
    await confirm(page, 'End the old key now');
    await page.getByText(/^An old main key works until/).waitFor({ state: 'hidden' });
    await expect(settings()).rejects.toThrow('User not found');
    mine = { ...mine, apiKey };
  });
});

it('asks before a publishable key works for every page', async () => {
  await goTo(page, `${home}/keys`);
  await page.getByRole('button', { name: 'Make a key' }).first().click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('shop');
  await form.getByRole('button', { name: 'Make the key' }).click();
  await form.getByText('Every page may use this key').waitFor();
  expect(await mine.client.call('get', '/keys', { apiKey: mine.apiKey })).toEqual([]);
  await form.getByLabel('Origins whose pages may use it').fill('https://shop.example.org');
  await form.getByText('Every page may use this key').waitFor({ state: 'hidden' });
  await form.getByRole('button', { name: 'Make the key' }).click();
  await page.getByText('The key “shop” is shown once').waitFor();
});

describe('the settings', () => {
  it('that are typed are saved one by one: cost, name and icon for wallets, receiver of tokens', async () => {
    await goTo(page, `${home}/settings`);
    const save = (label: string) => page.getByRole('button', { name: `Save: ${label}` });
    await page.getByLabel('Most that one operation may cost, in ETH').fill('0.02');
    await save('Most that one operation may cost').click();
    await until(async () => (await settings()).maxOperationCostWei === '20000000000000000');
    await page.getByLabel('Name that wallets show').fill('My shop');
    await save('Name that wallets show').click();
    await until(async () => (await settings()).sponsorName === 'My shop');
    const file = { name: 'icon.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') };
    await page.locator('input[type=file]').setInputFiles(file);
    await save('Icon that wallets show').click();
    await until(async () => (await settings()).sponsorIcon === `data:image/png;base64,${PNG}`);
    await page.getByLabel('Address that gets the tokens').fill('0x12');
    await save('Address that gets the tokens').click();
    await page.getByText(/tokenFeeReceiver must be/).waitFor();
    await page.getByLabel('Most that one operation may cost, in ETH').fill('');
    await save('Most that one operation may cost').click();
    await until(async () => (await settings()).maxOperationCostWei === null);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('that are chosen are saved at once, and what opens the wallet asks first', async () => {
    await goTo(page, `${home}/settings`);
    await page.getByText('Such an operation costs its whole fee per gas (maxFeePerGas)').waitFor();
    await page.getByRole('switch', { name: 'Equal fees' }).press('Space');
    await until(async () => !(await settings()).allowEqualFees);
    await page.getByLabel('by an approval in the batch').click();
    await until(async () => (await settings()).tokenChargingWays.length === 2);
    await page.getByRole('switch', { name: 'Factories that the platform does not know' }).press('Space');
    await page.getByText('Everybody can bring a factory of his own').waitFor();
    await page.getByRole('button', { name: 'Leave it off' }).click();
    expect(await settings()).toMatchObject({
      allowUnknownFactories: false,
      tokenChargingWays: ['allowance', 'permit'],
    });
  });
});

describe('the words of the page', () => {
  it('say that a name is taken, of nobody, and propose one that is free', async () => {
    const other = await emptyPaymaster();
    await goTo(page, `${home.replace(/\/p\/.*/, '')}/new`);
    await page.getByRole('textbox', { name: 'Name' }).fill(other.name);
    await page.getByRole('button', { name: 'Make the paymaster' }).click();
    await page.getByText('This name is taken').waitFor();
    expect(await page.content()).not.toContain('paymaster_name_exists');
    expect(await page.content()).not.toContain(other.account);
    await page.getByRole('button', { name: /^Use “/ }).click();
    await page.getByRole('button', { name: 'Make the paymaster' }).click();
    await page.getByRole('heading', { name: 'First operation' }).waitFor();
  });

  it('say that the account has no such paymaster', async () => {
    await goTo(page, home.replace(/[0-9a-f]{8}$/, '00000000'));
    await page.getByText('This account has no such paymaster').waitFor();
    expect(await page.getByText('User not found').count()).toBe(0);
    await page.getByRole('link', { name: 'To the paymasters of this account' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  it('say what a wallet elsewhere has to send once an amount is typed', async () => {
    const { paymaster } = readStack();
    const seeded = await openTab(browser);
    const path = await signIn(seeded.page);
    expect(path).toContain(paymaster.paymasterId);
    await goTo(seeded.page, `${path}/wallet`);
    await seeded.page.getByText('as a reserve, which nobody can take out').waitFor();
    await seeded.page.getByText('Withdraw', { exact: true }).first().click();
    await seeded.page.getByText('Type an amount, and what that wallet has to send is here.').first().waitFor();
    expect(await seeded.page.getByText(/with it:$/).count()).toBe(0);
    await seeded.page.getByLabel('Amount in ETH').first().fill('0.25');
    await seeded.page.getByText('Send this transaction from it:').first().waitFor();
    await seeded.page.getByText('Call data').first().waitFor();
    await seeded.context.close();
  });

  it('say why its reader has to sign in again', async () => {
    await goTo(page, `${home}/webhooks`);
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await tab.context.clearCookies();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('Your session has ended').waitFor();
    await goTo(page, `${home}/webhooks`);
    await page.getByText('You are not signed in', { exact: true }).waitFor();
  });
});
