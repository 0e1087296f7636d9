import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DashboardClient, landed, readStack, seedPaymaster } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { goTo } from './support/go-to';
import { signIn } from './support/sign-in';
import { userOfApp } from './support/user-of-app';

const POLICY = 'One a month';
const REASON = 'SPENDING_LIMIT_REACHED';
const LISTED_MS = 120_000;

let browser: Browser;
let context: BrowserContext;
let page: Page;
/** The list of a paymaster with two operations of one account: one landed by a policy, the next was refused by it. */
let list: string;
let landedHash: string;
let transactionHash: string;
let sender: string;
let refusedRequest: string;
let reasons: number;

beforeAll(async () => {
  const stack = readStack();
  const { chainId, demoContract, devKeys } = stack;
  const dashboard = new DashboardClient(stack.dashboard, stack.authToken);
  const paymaster = await seedPaymaster({
    ...{ dashboard, name: `Support ${randomUUID()}`, chainId, demoContract: demoContract.address },
    fundingWallet: devKeys.fundingWallet,
  });
  const { apiKey } = paymaster;
  const limits = [{ scope: 'USER', measure: 'COUNT', amount: '1', cycle: 'MONTH' }] as const;
  const policyData = { limits: [...limits] };
  await dashboard.call('post', '/paymaster-policy', {
    ...{ apiKey, body: { name: POLICY, policyType: 'RULES', policyData } },
  });
  const user = await userOfApp({ ...stack, paymaster });
  const calls = [{ to: demoContract.address, data: demoContract.callData }];
  landedHash = await user.send(calls);
  ({ transactionHash } = await landed(stack, landedHash as `0x${string}`));
  await expect(user.send(calls)).rejects.toThrow();
  const bothListed = async () => {
    const all = (await dashboard.call('get', '/operation', { apiKey })).operations;
    return all.some((each) => each.transactionHash) && all.some(({ reason }) => reason) && all;
  };
  const operations = await until(bothListed, 'both operations are listed', LISTED_MS);
  ({ sender = '' } = operations[0] ?? {});
  refusedRequest = operations.find(({ reason }) => reason === REASON)?.requestId ?? '';
  reasons = (await dashboard.call('get', '/operation/reasons', { apiKey })).length;

  browser = await openBrowser();
  ({ page, context } = await openTab(browser));
  list = (await signIn(page)).replace(/[^/]+$/, `${paymaster.paymasterId}/operations`);
});

afterAll(() => browser?.close());

const row = (of: Page = page) => of.getByRole('row').filter({ hasText: 'increment()' });
const shown = (count: number, of: Page = page) => of.getByText(`All ${count} are shown`, { exact: true }).waitFor();
const param = (name: string) => new URL(page.url()).searchParams.get(name);
const heads = (of: Page) => of.getByRole('columnheader').allTextContents();

it('names contract, method and policy, on a wide screen in rows of 40 px, on others in two lines', async () => {
  await goTo(page, list);
  await shown(2);
  const granted = row().filter({ hasText: POLICY });
  const refused = row().filter({ hasText: REASON });
  for (const each of [granted, refused]) {
    await each.getByText('DemoCounter', { exact: true }).waitFor();
    expect((await each.boundingBox())?.height).toBe(40);
  }
  expect(await heads(page)).toEqual(['State', 'Contract', 'Method', 'Policy or reason', 'Account', 'Cost', 'Time']);
  expect(await seriousViolations(page)).toEqual([]);
  for (const width of [1279, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await until(async () => (await granted.boundingBox())?.height === 64);
    await until(async () => {
      const [first, second] = await Promise.all([
        granted.getByText('increment()').boundingBox(),
        granted.getByText(POLICY).boundingBox(),
      ]);
      return first && second && second.y >= first.y + first.height;
    }, `the policy stands below the method at ${width} px`);
    const lefts = [granted, refused].map((each) => each.getByText('DemoCounter', { exact: true }).boundingBox());
    const [left, otherLeft] = (await Promise.all(lefts)).map((box) => box?.x);
    expect(left).toBe(otherLeft);
    expect(await seriousViolations(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

it('says which policy allowed it, and folds what other policies did not allow', async () => {
  const line = { rule: 'Partners: senders', input: 'not among the allowed', outcome: 'refuse' };
  await page.route(/\/operation\/[0-9a-f-]+$/, async (route) => {
    const answer = await route.fetch();
    const { data, ...rest } = (await answer.json()) as { data: { trace: object[] } };
    await route.fulfill({ response: answer, json: { ...rest, data: { ...data, trace: [...data.trace, line] } } });
  });
  await goTo(page, `${list}?hash=${landedHash}`);
  await page.getByRole('button', { name: /^Open the operation of/ }).click();
  const detail = page.getByRole('dialog');
  await detail.getByText(`The policy “${POLICY}” allowed it.`).waitFor();
  expect(await detail.getByText('not among the allowed').count()).toBe(0);
  await detail.getByRole('button', { name: 'Show what in other policies did not allow it' }).click();
  await detail.getByText('not among the allowed').waitFor();
  await page.unroute(/\/operation\/[0-9a-f-]+$/);
});

it('finds an operation in one box by its hash, its transaction, its account, its request and its reason', async () => {
  await goTo(page, list);
  const search = page.getByRole('combobox', { name: 'Search' }).or(page.getByRole('textbox', { name: 'Search' }));
  const found = async (text: string, count: number) => {
    await search.fill(text);
    await shown(count);
  };
  await found(landedHash, 1);
  await row().filter({ hasText: POLICY }).waitFor();
  await found(sender, 2);
  await found(transactionHash, 1);
  await found(sender.toUpperCase().replace('0X', '0x'), 2);
  await found(refusedRequest, 1);
  await row().filter({ hasText: REASON }).waitFor();
  await found('', 2);
  await found(' spending limit reached ', 1);
  await row().filter({ hasText: REASON }).waitFor();
  await search.fill('0x12');
  await page.getByText(/^A hash \(0x and 64 hex digits\)/).waitFor();
  await search.fill(`0x${'12'.repeat(32)}`);
  await page.getByText('No operation fits this filter').waitFor();
});

it('offers the reasons that the dashboard lists', async () => {
  await goTo(page, list);
  const select = page.getByLabel('Reason of a refusal');
  await until(async () => (await select.getByRole('option').count()) === reasons + 1);
  expect(await page.locator('datalist option').count()).toBe(reasons);
  await select.selectOption(REASON);
  await shown(1);
});

it('keeps filters, columns and period in the URL: a link shows the same list, and the way back leads to the former', async () => {
  await goTo(page, list);
  await page.getByLabel('Reason of a refusal').selectOption(REASON);
  await page.waitForURL(/reason=/);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('Paid in').check();
  await page.getByLabel('Cost').uncheck();
  await page.waitForURL(/columns=/);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('From').fill('2024-01-01');
  await page.waitForURL(/from=2024-01-01/);
  await page.getByLabel('Policy', { exact: true }).selectOption({ label: POLICY });
  await page.getByText('No operation fits this filter').waitFor();
  await page.goBack();
  await shown(1);

  const other = await context.newPage();
  await goTo(other, page.url());
  await shown(1, other);
  await row(other).filter({ hasText: REASON }).waitFor();
  const columns = ['State', 'Contract', 'Method', 'Policy or reason', 'Paid in', 'Account', 'Time'];
  expect(await heads(other)).toEqual(columns);
  expect(await other.getByLabel('From').inputValue()).toBe('2024-01-01');
  await other.close();

  await page.goBack();
  await until(() => param('from') === null);
  expect(param('reason')).toBe(REASON);
  await page.goBack();
  await page.goBack();
  await until(() => param('columns') === null);
  await page.goBack();
  await shown(2);
  expect(await page.getByLabel('Reason of a refusal').inputValue()).toBe('');
});

it('opens links from before the search box, and takes their filter away', async () => {
  await goTo(page, `${list}?hash=${landedHash}`);
  await shown(1);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: /^Operation 0x.*: remove this filter$/ }).click();
  await shown(2);
});

it('saves what is shown as CSV with names beside ids, and with coin and USD', async () => {
  await goTo(page, `${list}?search=${landedHash}`);
  await shown(1);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  const [header = '', line = '', ...rest] = readFileSync(await download.path(), 'utf8').split('\r\n');
  expect(rest).toEqual(['']);
  const fields = Object.fromEntries(header.split(',').map((name, at) => [name, line.split(',')[at]]));
  expect(fields).toMatchObject({
    ...{ userOpHash: landedHash, policyName: POLICY, contractNames: 'DemoCounter', methodNames: 'increment()' },
    ...{ contracts: readStack().demoContract.address.toLowerCase(), coin: 'ETH', mode: 'sponsored', token: '' },
    actualCost: expect.stringMatching(/^0\.0\d+$/) as string,
    actualCostUsd: expect.stringMatching(/^\d+(\.\d+)?$/) as string,
  });
});
