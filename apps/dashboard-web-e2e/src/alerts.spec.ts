import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { answers, WebhookReceiver } from '@paymaster/webhooks/testing';
import type { Browser, Page } from 'playwright-core';
import { atRest } from './support/at-rest';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster, type EmptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { signIn } from './support/sign-in';

const SECRET = 's3cretS3cret';

let browser: Browser;
let page: Page;
let mine: EmptyPaymaster;
let receiver: WebhookReceiver;
/** The path of the paymaster. */
let home: string;
/** What the dashboard answered to the page. */
const answered: string[] = [];

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  browser = await openBrowser();
  mine = await emptyPaymaster();
  ({ page } = await openTab(browser));
  page.on('response', (response) => {
    if (response.url().includes('/alerts'))
      void response.text().then(
        (text) => answered.push(text),
        () => undefined,
      );
  });
  home = await signIn(page, { account: mine.account });
});

afterAll(async () => {
  await browser?.close();
  await receiver?.stop();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const field = (name: string) => dialog().getByLabel(name);
const alerts = () => mine.client.call('get', '/alerts', { apiKey: mine.apiKey });

it('an alert in Slack is made with quiet hours, and says what it does; its URL is shown to nobody', async () => {
  await goTo(page, `${home}/alerts`);
  await page.getByText('No alert yet').waitFor();
  await button('New alert').first().click();
  await field('Name').fill('On call');
  await field('Where it goes').selectOption('Slack');
  await field('URL').fill(`${receiver.url}/services/${SECRET}`);
  await field('The operator suspended the paymaster').uncheck();
  await field('More operations are refused than before').check();
  await field('The wallet is low below, in ETH').fill('0.25');
  await field('90 %').check();
  await field('Quiet hours').check({ force: true });
  await field('From').fill('23:30');
  await field('Time zone').selectOption('Europe/Berlin');
  await atRest(page);
  expect(await seriousViolations(page)).toEqual([]);
  await button('Make the alert').click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'On call' }).waitFor();
  for (const line of [
    `${receiver.url}/…`,
    'The wallet runs low: below 0.25 ETH',
    'A limit is being used up: at 75, 90, 100 %',
    'More operations are refused than before',
    'Quiet from 23:30 to 07:00, Europe/Berlin',
  ])
    await page.getByText(line, { exact: true }).waitFor();
  expect(await alerts()).toMatchObject([
    {
      ...{ about: ['walletLow', 'limitUsed', 'walletBraked', 'refusalsRising'], limitPercents: [75, 90, 100] },
      ...{ walletBelowWei: '250000000000000000', active: true, version: 1 },
      quietHours: { from: '23:30', to: '07:00', timeZone: 'Europe/Berlin' },
    },
  ]);
  await button('Show what was told').click();
  await page.getByText('Nothing was told yet').waitFor();
  expect(await page.content()).not.toContain(SECRET);
});

it('is tested, and shows what the receiver said', async () => {
  receiver.behaviour = answers(200, 'ok');
  await button('Test On call').click();
  await dialog().getByText('It arrived').waitFor();
  expect(receiver.requests.map(({ path }) => path)).toEqual([`/services/${SECRET}`]);
  expect(JSON.parse(String(receiver.requests[0]?.body))).toEqual({
    text: `Paymaster ${mine.name}: a test\nThis is a test: alerts of this paymaster arrive here.`,
  });
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  receiver.behaviour = (response, { path }) => void response.writeHead(404).end(`no_service at ${path}`);
  await button('Test On call').click();
  await dialog().getByText('It did not arrive').waitFor();
  await dialog().getByText('It answered with HTTP status 404').waitFor();
  await dialog().getByText('no_service at /…').waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

it('keeps its URL when something else is changed, and is paused', async () => {
  await button('Edit On call').click();
  expect(await field('URL').getAttribute('placeholder')).toBe(`stays ${receiver.url}/…`);
  await field('Name').fill('Night shift');
  await button('Save the alert').click();
  await dialog().waitFor({ state: 'detached' });
  receiver.requests.length = 0;
  await button('Test Night shift').click();
  await dialog().getByText('It did not arrive').waitFor();
  expect(receiver.requests[0]?.path).toBe(`/services/${SECRET}`);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('switch', { name: 'Night shift is active' }).press('Space');
  await until(async () => (await alerts())[0]?.active === false);
});

it('of two who edit it, the second sees what the first changed', async () => {
  const [{ alertId = '' } = {}] = await alerts();
  await button('Edit Night shift').click();
  await field('Name').fill('Mine');
  const path = `/alerts/${alertId}` as '/alerts/{alertId}';
  await mine.client.call('patch', path, { apiKey: mine.apiKey, body: { name: 'Theirs', limitPercents: [50] } });
  const changed = dialog().getByRole('alert').filter({ hasText: 'Somebody changed this while you edited it' });
  await changed.getByText('Name: Theirs').waitFor();
  await changed.getByText('Name: Mine').waitFor();
  expect(await button('Save the alert').isDisabled()).toBe(true);
  await button('Both changes, mine where they differ').click();
  await button('Save the alert').click();
  await dialog().waitFor({ state: 'detached' });
  expect(await alerts()).toMatchObject([{ name: 'Mine', limitPercents: [50] }]);
});

it('by mail arrives in the mailbox', async () => {
  const address = `${randomUUID()}@example.org`;
  await button('New alert').click();
  await field('Name').fill('By mail');
  await field('Mail address').fill(address);
  await button('Make the alert').click();
  await button('Test By mail').click();
  await dialog().getByText('It arrived').waitFor();
  expect(readFileSync(readStack().mailLog, 'utf8')).toContain(
    `To: ${address}\nSubject: Paymaster ${mine.name}: a test\n`,
  );
  await page.keyboard.press('Escape');
  await button('Delete By mail').click();
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: 'By mail' }).waitFor({ state: 'detached' });
});

it('is deleted after a question', async () => {
  await button('Delete Mine').click();
  await dialog().getByText('Nobody is told there any more').waitFor();
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No alert yet').waitFor();
  expect(await alerts()).toEqual([]);
  expect(answered.length).toBeGreaterThan(5);
  expect(answered.join()).not.toContain(SECRET);
});
