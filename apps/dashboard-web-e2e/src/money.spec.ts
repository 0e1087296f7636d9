import { readFileSync } from 'node:fs';
import { DashboardClient, readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, Page } from 'playwright-core';
import { formatUnits } from 'viem';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { goTo } from './support/go-to';
import { signIn } from './support/sign-in';

const HOUR_MS = 3_600_000;
const USAGE = /\/sdk\/usage\?interval=/;
const SPLIT = /\/sdk\/usage\?by=/;

let browser: Browser;
let page: Page;
/** The path of the seeded paymaster. */
let seeded: string;

beforeAll(async () => {
  browser = await openBrowser();
  ({ page } = await openTab(browser));
  seeded = await signIn(page, { isOperator: true });
});

afterAll(() => browser?.close());

const data = (content: unknown) => ({ json: { statusCode: 200, message: '', data: content } });
const counts = { granted: 0, refused: 0, settled: 0, reverted: 0, voided: 0 };
const nothing = { spentWei: '0', spentUsd: '0', unpriced: 0, receivedUsd: '0', unrecorded: 0, netUsd: '0' };

/** What settled operations paid in each token, as the receipts of their transactions say. */
async function paidInTokens(): Promise<ReadonlyMap<string, bigint>> {
  const { dashboard, authToken, paymaster } = readStack();
  const client = new DashboardClient(dashboard, authToken);
  const { apiKey } = paymaster;
  const paid = new Map<string, bigint>();
  let cursor: string | undefined;
  do {
    const query = { state: 'settled', limit: 200, ...(cursor && { cursor }) } as const;
    const { operations, nextCursor } = await client.call('get', '/operation', { apiKey, query });
    for (const { id } of operations.filter(({ mode }) => mode === 'token')) {
      const path = `${dashboard}/api/v2/public/sdk/operation/${id}/calls`;
      const answer = (await (await fetch(path, { headers: { authToken, apiKey } })).json()) as {
        data: { tokenPayment: { token: string; amount: string } | null };
      };
      const payment = answer.data.tokenPayment;
      if (payment) paid.set(payment.token, (paid.get(payment.token) ?? 0n) + BigInt(payment.amount));
    }
    cursor = nextCursor ?? undefined;
  } while (cursor);
  return paid;
}

it('says what users paid in each token in its own unit, as the receipts do, and in USD of that time', async () => {
  const { tokens } = readStack();
  const rowOf = (address: string, amount: bigint) => {
    const { symbol, decimals } = tokens.find((token) => token.address.toLowerCase() === address)!;
    const [whole, fraction = ''] = formatUnits(amount, decimals).split('.');
    // Six digits are shown; of less than one they begin behind its zeros.
    const [shown = ''] = (whole === '0' ? /^0*\d{0,6}/ : /^\d{0,6}/).exec(fraction) ?? [];
    const text = `${whole}.${shown}`.replace(/\.?0*$/, '').replace('.', '\\.');
    return page.getByRole('row', { name: new RegExp(`^${symbol} .* ${text} ${symbol} [\\d.]+ USD `) });
  };
  // Other tests may pay meanwhile.
  await until(async () => {
    const paid = [...(await paidInTokens())];
    await goTo(page, `${seeded}?by=token`);
    await page.getByRole('row', { name: /^All / }).waitFor();
    // The names of the tokens come with another answer.
    await page.waitForTimeout(500);
    const shown = await Promise.all(paid.map(([address, amount]) => rowOf(address, amount).count()));
    return paid.length > 0 && shown.every((rows) => rows === 1);
  });
  await page.getByText(/^Received: .*\(.* USD\)/).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
});

describe('where operations from before tell no price', () => {
  const old = { ...nothing, spentWei: '7', unpriced: 1, unrecorded: 1 };
  const paid = { ...nothing, spentWei: '300', spentUsd: '3', receivedUsd: '3.5', netUsd: '-0.5' };
  const free = { ...nothing, spentWei: '898', spentUsd: '8.98', netUsd: '8.98' };
  const start = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString();
  const today = `${start.slice(0, 10)}T00:00:00.000Z`;
  const keyId = '7c9c1f0e-6d0f-4d0a-8b62-0d2f6f4b7f11';

  beforeAll(async () => {
    const part = { ...counts, start: today };
    const landed = (settled: number) => ({ ...part, granted: settled, settled });
    const both = { ...paid, spentWei: '307', unpriced: 1, unrecorded: 1 };
    const parts: Record<string, unknown[]> = {
      key: [{ ...landed(2), ...free, key: keyId, spentWei: '891', spentUsd: '8.91', netUsd: '8.91' }],
      mode: [
        { ...landed(2), ...free, key: 'sponsored' },
        { ...landed(2), ...both, key: 'token' },
      ],
      token: [{ ...landed(1), ...paid, key: `0x${'77'.repeat(20)}`, received: '3500000' }],
    };
    await page.route(SPLIT, (route) => {
      const by = new URL(route.request().url()).searchParams.get('by') ?? '';
      return route.fulfill(data(parts[by] ?? []));
    });
    const now = { ...counts, granted: 4, settled: 4, refused: 2, start, gasUsed: '3', gasCostWei: '10' };
    const sum = { spentWei: '1205', spentUsd: '11.980000000001', unpriced: old.unpriced, receivedUsd: '3.5' };
    await page.route(USAGE, (route) =>
      route.fulfill(data([{ ...now, ...sum, unrecorded: old.unrecorded, netUsd: '8.480000000001' }])),
    );
  });

  afterAll(async () => {
    await page.unroute(SPLIT);
    await page.unroute(USAGE);
  });

  it('shows gross, received and net, and for how many they are not recorded', async () => {
    await goTo(page, `${seeded}?by=key`);
    await page.getByText('11.98 USD, not recorded for 1, in 24 h').waitFor();
    await page.getByText('3.50 USD, not recorded for 1', { exact: true }).first().waitFor();
    await page.getByText('8.48 USD', { exact: true }).first().waitFor();
    const rest = 'By the main key, or not recorded 2 2 0 314 wei 3.07 USD, not recorded for 1';
    await page.getByRole('row', { name: `${rest} 3.50 USD, not recorded for 1 -0.43 USD` }).waitFor();
    const all = 'All 4 4 0 1,205 wei 11.98 USD, not recorded for 1 3.50 USD, not recorded for 1 8.48 USD';
    await page.getByRole('row', { name: all }).waitFor();
    await page.getByText('The price of the coin is not recorded for 1 operation.').waitFor();
    await page.getByText('Received: 3,500,000 base units (3.50 USD).').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('draws money over time: exact on hover, as a table, and as a file', async () => {
    await goTo(page, seeded);
    await page.getByRole('radiogroup', { name: 'Chart of' }).getByText('Money').click();
    await page.waitForURL(/chart=money/);
    await page.getByRole('heading', { name: 'Money over time' }).waitFor();
    const legend = page.locator('.u-legend');
    const values = async () => (await legend.locator('.u-series .u-value').allTextContents()).slice(1);
    // Where no pointer is on it, it says what is newest.
    expect(await values()).toEqual(['11.980000000001', '3.5', '8.480000000001']);
    const plot = page.locator('.u-over');
    await plot.hover({ position: { x: 5, y: 50 } });
    await until(async () => (await values()).join() === '0,0,0');
    await plot.hover({ position: { x: (await plot.boundingBox())!.width - 5, y: 50 } });
    await until(async () => (await values())[0] === '11.980000000001');
    const table = page.getByRole('table', { name: 'Money over time' });
    expect(await table.getByRole('row').count()).toBe(25);
    expect(await table.getByRole('row').last().textContent()).toBe(`${start}11.9800000000013.58.480000000001`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV of the chart' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(download.suggestedFilename()).toMatch(/^usage-by-hour-\d{4}-\d\d-\d\d\.csv$/);
    expect(lines[0]).toMatch(/^start,granted,refused,.*spentUsd/);
    expect(lines.at(-2)).toBe(`${start},4,2,4,0,0,1205,11.980000000001,1,3.5,1,8.480000000001,3,10`);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('draws what each part cost day by day, with what is in no part', async () => {
    await goTo(page, `${seeded}?by=key`);
    await page.getByRole('radiogroup', { name: 'Show as' }).getByText('Over time').click();
    await page.waitForURL(/as=days/);
    const table = page.getByRole('table', { name: 'Spent over time by key, in USD' });
    await table.waitFor({ state: 'attached' });
    expect(await table.getByRole('columnheader').allTextContents()).toEqual(['Time', '7c9c1f0e-6…4b7f11', 'The rest']);
    expect(await table.getByRole('row').last().textContent()).toBe(`${today}8.913.07`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV of all days' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines[1]).toBe(`${today},2,0,2,0,0,891,8.91,0,0,0,8.91,${keyId},`);
    expect(await seriousViolations(page)).toEqual([]);
  });
});

it('shows the operator gross, received and net of each tenant', async () => {
  await goTo(page, '/operator?search=demo');
  const usd = '[\\d.,]+ USD';
  await page
    .getByText(new RegExp(`last 30 days cost .* gross \\(${usd}\\)\\. Received in tokens: ${usd}\\. Net: -?${usd}\\.`))
    .first()
    .waitFor();
  expect(await seriousViolations(page)).toEqual([]);
});
