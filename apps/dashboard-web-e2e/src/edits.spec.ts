import { demoCounterAbi } from '@paymaster/contract-abis';
import { readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster, type EmptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { signIn } from './support/sign-in';

const TOKEN = {
  ...{ address: `0x${'cd'.repeat(20)}`, symbol: 'USDx', decimals: 6, source: 'paymaster', premiumPercentage: '10' },
  ...{ price: { feed: null, apiId: 'usd-coin', fixedUsd: null }, chargingWays: ['permit'], exposureCapWei: null },
  ...{ logoUrl: null, transferGas: 65_000 },
};
const REFUSED = { status: 400, json: { statusCode: 400, message: 'The sum of all budgets is too large' } };

let browser: Browser;
let page: Page;
let mine: EmptyPaymaster;
/** The path of the paymaster. */
let home: string;

beforeAll(async () => {
  browser = await openBrowser();
  mine = await emptyPaymaster();
  const { client, apiKey } = mine;
  const limit = { scope: 'USER', measure: 'COUNT', amount: '5', cycle: 'DAY' } as const;
  const policy = { name: 'Five a day', policyType: 'RULES' as const, policyData: { limits: [limit] } };
  await client.call('post', '/paymaster-policy', { apiKey, body: policy });
  await client.call('post', '/keys', { apiKey, body: { name: 'web', kind: 'SECRET' } });
  const { address } = readStack().demoContract;
  const abi = JSON.stringify([...demoCounterAbi, { type: 'function', name: 'reset', inputs: [], outputs: [] }]);
  const contract = { name: 'Counter', address, abi, whitelistedMethods: ['increment()'] };
  await client.call('post', '/smart-contract', { apiKey, body: contract });
  ({ page } = await openTab(browser));
  home = await signIn(page, { account: mine.account });
});

afterAll(() => browser?.close());

const open = (path: string) => goTo(page, `${home}${path}`);
const dialog = () => page.getByRole('dialog');
const button = (name: string) => page.getByRole('button', { name, exact: true });
const question = () => page.getByRole('alertdialog', { name: 'Discard your changes?' });

/** A dialog with a form: its screen, the button that opens it, and a text field of it with what stands there at first. */
type Dialog = readonly [what: string, path: string, opener: string, field: string, first: string];

const DIALOGS: readonly Dialog[] = [
  ['a new policy', '/policies', 'New policy', 'Name', ''],
  ['a policy', '/policies', 'Edit Five a day', 'At most', '5'],
  ['a new shared policy', '/../../shared-policies', 'New shared policy', 'Name', ''],
  ['a new contract', '/contracts', 'Register a contract', 'ABI', ''],
  ['a new key', '/keys', 'Make a key', 'Name', ''],
  ['a key', '/keys', 'Edit the key web', 'Networks that it may be sent from', ''],
  ['a new session key', '/keys', 'Register a public key', 'Public key', ''],
  ['a token', '/tokens', 'Edit USDx', 'Premium, in percent', '10'],
  ['a new alert', '/alerts', 'New alert', 'Name', ''],
  ['a new webhook', '/webhooks', 'New webhook', 'URL of your server', ''],
];

describe.each(DIALOGS)('the dialog of %s', (_what, path, opener, label, first) => {
  const field = () => dialog().getByRole('textbox', { name: label });
  const openIt = async () => {
    await button(opener).first().click();
    await field().waitFor();
  };

  beforeEach(async () => {
    // Only where it is read: a browser whose requests go through a test keeps no file of the page.
    if (path === '/tokens') {
      await page.route('**/sdk/token', (route) =>
        route.fulfill({ json: { statusCode: 200, message: '', data: [TOKEN] } }),
      );
    }
    await open(path);
  });
  afterEach(() => page.unroute('**/sdk/token'));

  it('closes at once while nothing is changed, and asks first by Esc, its cross and a click outside', async () => {
    await openIt();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });

    await openIt();
    await field().fill('8');
    await page.keyboard.press('Escape');
    await question().waitFor();
    await button('Keep editing').and(page.locator(':focus')).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
    await field().and(page.locator(':focus')).waitFor();
    expect(await field().inputValue()).toBe('8');

    await page.mouse.click(3, 450);
    await question().waitFor();
    await button('Keep editing').click();
    await question().waitFor({ state: 'detached' });
    expect(await field().inputValue()).toBe('8');

    await dialog().getByRole('button', { name: 'Close', exact: true }).click();
    await question().waitFor();
    await button('Discard').click();
    await dialog().waitFor({ state: 'detached' });

    await openIt();
    expect(await field().inputValue()).toBe(first);
    await field().fill('8');
    await field().fill(first);
    await page.mouse.click(3, 450);
    await dialog().waitFor({ state: 'detached' });
  });
});

interface Drawn {
  getBoundingClientRect(): { left: number; top: number; width: number; height: number };
  contains(other: unknown): boolean;
  readonly ownerDocument: { elementFromPoint(x: number, y: number): unknown };
}

/** Whether a person sees the middle of it: in the window, and behind nothing. */
async function isInSight(of: Locator): Promise<boolean> {
  await of.waitFor();
  return of.evaluate((element: Drawn) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });
}

describe.each([
  [390, 844],
  [1280, 900],
])('at %i px', (width, height) => {
  beforeEach(() => page.setViewportSize({ width, height }));
  afterAll(() => page.setViewportSize({ width: 1280, height: 900 }));

  it('a long policy keeps its button in sight, and says there why it was not saved', async () => {
    await open('/policies');
    await button('Edit Five a day').click();
    for (const rule of await dialog().getByRole('switch').all())
      if (!(await rule.isChecked())) await rule.press('Space');
    const name = dialog().getByRole('textbox', { name: 'Name' });
    await name.click();
    await name.fill('Many rules');
    expect(await isInSight(name)).toBe(true);
    expect(await isInSight(button('Save the policy'))).toBe(true);
    await page.route('**/sdk/paymaster-policy/*', (route) => route.fulfill(REFUSED));
    await button('Save the policy').click();
    expect(await isInSight(dialog().getByText('The sum of all budgets is too large'))).toBe(true);
    expect(await isInSight(button('Save the policy'))).toBe(true);
    expect(await isInSight(name)).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
    await page.unroute('**/sdk/paymaster-policy/*');
    await page.keyboard.press('Escape');
    expect(await isInSight(button('Discard'))).toBe(true);
    await button('Discard').click();
    await dialog().waitFor({ state: 'detached' });
  });

  it('a key does the same, and a setting says at the end of the window why it was not changed', async () => {
    await open('/keys');
    await button('Edit the key web').click();
    await dialog().getByRole('textbox', { name: 'Name' }).fill('shop');
    await page.route('**/sdk/keys/*', (route) => route.fulfill(REFUSED));
    await button('Save the key').click();
    expect(await isInSight(dialog().getByText('The sum of all budgets is too large'))).toBe(true);
    expect(await isInSight(button('Save the key'))).toBe(true);
    await page.unroute('**/sdk/keys/*');

    await open('/settings');
    const first = page.getByRole('switch', { name: 'Explain refusals to apps' });
    await first.waitFor();
    await page.route('**/sdk/paymaster-settings', (route) => route.fulfill(REFUSED));
    await first.press('Space');
    expect(await isInSight(page.getByText('The sum of all budgets is too large'))).toBe(true);
    await page.unroute('**/sdk/paymaster-settings');
  });
});

describe('of two who edit', () => {
  const changed = () => page.getByRole('alert').filter({ hasText: 'Somebody changed this while you edited it' });
  const settings = () => mine.client.call('get', '/paymaster-settings', { apiKey: mine.apiKey });
  const store = (body: { servers?: string[]; tokenMode?: 'anyCall' | 'off' | 'whitelistedCalls' }) =>
    mine.client.call('patch', '/paymaster-settings', { apiKey: mine.apiKey, body });

  it('the servers, the second sees both lists, and saves over the other or keeps it', async () => {
    await open('/settings');
    const servers = page.getByRole('textbox', { name: 'Your servers' });
    await servers.fill('203.0.113.7');
    await store({ servers: ['203.0.113.8'] });
    await button('Save: Your servers').click();
    await changed().getByText('Servers: 203.0.113.8', { exact: true }).waitFor();
    await changed().getByText('Servers: 203.0.113.7', { exact: true }).waitFor();
    expect(await servers.inputValue()).toBe('203.0.113.7');
    expect(await settings()).toMatchObject({ servers: ['203.0.113.8'] });
    expect(await isInSight(button('Save mine over it'))).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
    await button('Save mine over it').click();
    await changed().waitFor({ state: 'detached' });
    await until(async () => (await settings()).servers.join() === '203.0.113.7');

    await servers.fill('203.0.113.9');
    await store({ servers: ['203.0.113.10'] });
    await button('Save: Your servers').click();
    await button('Keep what is stored now').click();
    await changed().waitFor({ state: 'detached' });
    expect(await servers.inputValue()).toBe('203.0.113.10');
    expect(await settings()).toMatchObject({ servers: ['203.0.113.10'] });
  });

  it('a choice that is saved at once, the second is not let through unseen', async () => {
    await open('/settings');
    const tokens = page.getByRole('combobox', { name: 'Users may pay in tokens for' });
    await tokens.waitFor();
    // The page would read of the change by itself; it has to hear of it from the answer to its own.
    let letRead = () => {};
    const sent = new Promise<void>((resolve) => (letRead = resolve));
    await page.route('**/sdk/paymaster-settings', (route) =>
      route.request().method() === 'GET' ? sent.then(() => route.continue()) : route.continue(),
    );
    await store({ tokenMode: 'whitelistedCalls' });
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await tokens.selectOption('off');
    const { statusCode, reason } = (await (await answered).json()) as { statusCode: number; reason: string };
    expect({ statusCode, reason }).toEqual({ statusCode: 409, reason: 'CHANGED_MEANWHILE' });
    letRead();
    await changed().getByText('Token mode: whitelisted calls').waitFor();
    await changed().getByText('Token mode: off').waitFor();
    await button('Save mine over it').click();
    await until(async () => (await settings()).tokenMode === 'off');
    await page.unroute('**/sdk/paymaster-settings');
  });

  it('a key, the second goes on with the changes of both', async () => {
    await open('/keys');
    await button('Edit the key web').click();
    const networks = dialog().getByRole('textbox', { name: 'Networks that it may be sent from' });
    await networks.fill('203.0.113.0/24');
    const { apiKey, client } = mine;
    const [key] = await client.call('get', '/keys', { apiKey });
    const path = `/keys/${key?.keyId}` as '/keys/{keyId}';
    await client.call('patch', path, { apiKey, body: { name: 'shop', allowedNetworks: ['198.51.100.0/24'] } });
    // Here whether the page has heard of it or not.
    await button('Save the key').click({ force: true });
    await changed().getByText('Allowed networks: 198.51.100.0/24').waitFor();
    await changed().getByText('Allowed networks: 203.0.113.0/24').waitFor();
    await changed().getByText('Both of you changed: allowed networks.').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await button('Both changes, mine where they differ').click();
    expect(await networks.inputValue()).toBe('203.0.113.0/24');
    await button('Save the key').click();
    await dialog().waitFor({ state: 'detached' });
    const [stored] = await client.call('get', '/keys', { apiKey });
    expect(stored).toMatchObject({ name: 'shop', allowedNetworks: ['203.0.113.0/24'] });
  });

  it('the methods of a contract, the second takes no method of the other away unseen', async () => {
    await open('/contracts');
    await button('Change methods').click();
    await dialog().getByLabel('increment()').uncheck();
    const { apiKey, client } = mine;
    const { address } = readStack().demoContract;
    const body = { address, whitelistedMethods: ['increment()', 'reset()'] };
    await client.call('patch', '/smart-contract', { apiKey, body });
    await button('Save').click({ force: true });
    await changed().getByText('Sponsored: reset()').waitFor();
    await button('Both changes').click();
    await button('Save').click();
    await dialog().waitFor({ state: 'detached' });
    const [contract] = await client.call('get', '/smart-contract', { apiKey });
    expect(contract).toMatchObject({ whitelistedMethods: ['reset()'] });
  });
});
