import { readFileSync } from 'node:fs';
import { DashboardClient, readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, Page } from 'playwright-core';
import { formatUnits } from 'viem';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { goTo } from './support/go-to';
import { signIn } from './support/sign-in';
import { userOfApp } from './support/user-of-app';

let browser: Browser;
let page: Page;
/** The path of the seeded paymaster. */
let seeded: string;

beforeAll(async () => {
  const stack = readStack();
  const { address: to, callData: data } = stack.demoContract;
  await (await userOfApp(stack)).send([{ to, data }]);
  browser = await openBrowser();
  ({ page } = await openTab(browser));
  seeded = await signIn(page);
});
afterAll(() => browser?.close());

async function usage(query: { interval: 'day' } | { by: 'sender' | 'mode' }) {
  const { dashboard, authToken, paymaster } = readStack();
  return new DashboardClient(dashboard, authToken).call('get', '/usage', { apiKey: paymaster.apiKey, query });
}
const withoutCommas = (text: string | null) => (text ?? '').replaceAll(',', '');

it('draws the gas price that was paid day by day: exact on hover, as a table, and as a file', async () => {
  await goTo(page, `${seeded}?span=30d`);
  await page.getByRole('radiogroup', { name: 'Chart of' }).getByText('Gas price').click();
  await page.waitForURL(/chart=gas/);
  await page.getByRole('heading', { name: 'Gas price paid, in gwei' }).waitFor();
  const table = page.getByRole('table', { name: 'Gas price paid over time, in gwei' });
  const legend = page.locator('.u-legend .u-series .u-value').nth(1);
  let price = '';
  // Other tests may land operations meanwhile.
  await until(async () => {
    const { gasUsed = '0', gasCostWei = '0' } = (await usage({ interval: 'day' })).at(-1)!;
    if (gasUsed === '0') return false;
    price = formatUnits(BigInt(gasCostWei) / BigInt(gasUsed), 9);
    await page.reload();
    await table.waitFor({ state: 'attached' });
    const [inTable, inLegend] = [await table.getByRole('row').last().textContent(), await legend.textContent()];
    return withoutCommas(inTable).endsWith(`Z${price}`) && withoutCommas(inLegend) === price;
  });
  expect(Number(price)).toBeGreaterThan(0);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV of the chart' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
  expect(lines[0]).toMatch(/,gasUsed,gasCostWei$/);
  expect(lines.at(-2)).toMatch(/,[1-9]\d*,[1-9]\d*$/);
  expect(await seriousViolations(page)).toEqual([]);
});

it('draws what landed against what was refused', async () => {
  await goTo(page, `${seeded}?span=30d`);
  const table = page.getByRole('table', { name: 'Operations over time' });
  await until(async () => {
    const { settled, refused, voided } = (await usage({ interval: 'day' })).at(-1)!;
    await page.reload();
    await table.waitFor({ state: 'attached' });
    return (await table.getByRole('row').last().textContent())?.endsWith(`Z${settled}${refused}${voided}`) ?? false;
  });
  expect(await table.getByRole('columnheader').allTextContents()).toEqual([
    ...['Time', 'Landed', 'Refused', 'Never landed'],
  ]);
});

it('lists the accounts that cost most first; they and the rest are the whole', async () => {
  const [senders, modes] = [await usage({ by: 'sender' }), await usage({ by: 'mode' })];
  const sum = (rows: typeof senders) => rows.reduce((total, { spentWei }) => total + BigInt(spentWei), 0n);
  // A sender counts each operation once, as a mode does.
  if (senders.length < 100) expect(sum(senders)).toBe(sum(modes));
  await goTo(page, seeded);
  await page.getByRole('radiogroup', { name: 'Split by' }).getByText('Account').click();
  await page.waitForURL(/by=sender/);
  const rows = page.getByRole('region', { name: 'Parts of the usage' }).getByRole('row');
  await rows
    .filter({ hasText: (senders[0]?.key ?? '').slice(0, 8) })
    .first()
    .waitFor();
  await page.getByRole('row', { name: /^All / }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
});
