import { DashboardClient, readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, Page } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { goTo } from './support/go-to';
import { tryAgain } from './support/hands';
import { requestOfApp } from './support/request-of-app';
import { signIn } from './support/sign-in';
import { userOfApp } from './support/user-of-app';

let browser: Browser;
let page: Page;
/** The path of the seeded paymaster. */
let seeded: string;

beforeAll(async () => {
  browser = await openBrowser();
  ({ page } = await openTab(browser));
  seeded = await signIn(page);
});

afterAll(() => browser?.close());

const data = (content: unknown) => ({ json: { statusCode: 200, message: '', data: content } });
const NO_GATEWAY = {
  status: 503,
  json: { statusCode: 503, message: 'No gateway answers at the moment', reason: 'GATEWAY_UNAVAILABLE' },
};

describe('Explain', () => {
  const question = () => page.getByRole('textbox', { name: 'Operation' });
  const ask = () => page.getByRole('button', { name: 'Explain', exact: true });

  it('shows what the request of an app calls, each rule, gas and cost', async () => {
    await goTo(page, `${seeded}/explain`);
    await question().fill(await requestOfApp());
    await ask().click();
    await page.getByText('on DemoCounter').first().waitFor();
    await page.getByText('increment()', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'How it was decided' }).waitFor();
    await page
      .getByText(/ passed/)
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'Gas and cost' }).waitFor();
    await page
      .getByText(/^[\d,]+ gas$/)
      .first()
      .waitFor();
    await page.getByText(/^Operations of this account .*: \d of \d+ used, and this operation needs 1;/).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('says what was asked and what is allowed, in units, and folds what passed', async () => {
    await goTo(page, `${seeded}/explain`);
    const request = await requestOfApp();
    await question().fill(request.replace(/"callGasLimit":"0x[0-9a-f]+"/, '"callGasLimit":"0x989680"'));
    await ask().click();
    await page
      .getByText(/^The gas limit of the calls \(callGasLimit\) is 10,000,000 gas, but at most [\d,]+ gas is allowed\.$/)
      .waitFor();
    expect(await page.getByText('No delegate call is made.').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Show what passed' }).click();
    await page.getByText('No delegate call is made.').waitFor();
    await question().fill(request);
    await ask().click();
    await page.getByText('It would be sponsored now').waitFor();
    await page.getByRole('button', { name: 'Show what passed' }).click();
    await page
      .getByText(
        /^The two fees differ: the fee per gas \(maxFeePerGas\) is 20 gwei, the tip per gas \(maxPriorityFeePerGas\) 1 gwei\.$/,
      )
      .waitFor();
    expect(await page.getByText(/[<>!]=|[≤≥≠]/).count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('opens an operation by its hash, and by its id', async () => {
    const stack = readStack();
    const { demoContract } = stack;
    const hash = await (await userOfApp(stack)).send([{ to: demoContract.address, data: demoContract.callData }]);
    await goTo(page, `${seeded}/explain`);
    // News of it come to the dashboard after the gateway's answer.
    const query = { userOpHash: hash };
    const owner = new DashboardClient(stack.dashboard, stack.authToken);
    const { apiKey } = stack.paymaster;
    await until(async () => (await owner.call('get', '/operation', { apiKey, query })).operations.length > 0);
    await question().fill(hash);
    await page.waitForURL(/operations\?open=/);
    await page.getByRole('dialog').getByText('How it was decided').waitFor();
    const [, id = ''] = /open=([0-9a-f-]{36})/.exec(page.url()) ?? [];
    await goTo(page, `${seeded}/explain`);
    await question().fill(` ${id} `);
    await page.waitForURL(new RegExp(`operations\\?open=${id}`));
    await goTo(page, `${seeded}/explain`);
    await question().fill(`0x${'12'.repeat(32)}`);
    await page.getByText('This paymaster was asked for no operation with this hash').waitFor();
  });

  it('names the field that is missing, and that which the dashboard refuses', async () => {
    await goTo(page, `${seeded}/explain`);
    await question().fill(
      '{ "sender": "0x12", "callData": "0x", "maxFeePerGas": "0x1", "maxPriorityFeePerGas": "0x1" }',
    );
    await page.getByText('nonce: missing.').waitFor();
    expect(await ask().isDisabled()).toBe(true);
    await question().fill(
      '{ "sender": "0x12", "nonce": "0x0", "callData": "0x", "maxFeePerGas": "0x1", "maxPriorityFeePerGas": "0x1" }',
    );
    await ask().click();
    await page.getByText('The operation was not explained').waitFor();
    await page
      .getByRole('alert')
      .getByText(/sender/)
      .waitFor();
  });

  it('says what to do when no gateway answers', async () => {
    await goTo(page, `${seeded}/explain`);
    await page.route('**/sdk/explain', (route) => route.fulfill(NO_GATEWAY));
    await question().fill(await requestOfApp());
    await ask().click();
    await page.getByText('ask the operator whether one runs for this chain').waitFor();
    await page.unroute('**/sdk/explain');
    await ask().click();
    await page.getByRole('heading', { name: 'How it was decided' }).waitFor();
  });
});

describe('Audit log', () => {
  const path = () => `${seeded.slice(0, seeded.indexOf('/p/'))}/audit-log`;

  it('says who changed what, with what it was and is, and keeps the filter in the URL', async () => {
    await goTo(page, path());
    await page
      .getByText(/by the auth token /)
      .first()
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    // Of this paymaster only: other tests change others of the same account.
    await goTo(page, `${path()}?paymaster=${seeded.split('/p/')[1]}`);
    await page.getByLabel('What was changed').selectOption('contract');
    await page.waitForURL(/subject=contract/);
    await page.getByText('Contract “DemoCounter”').first().waitFor();
    await page
      .getByText(/^Whitelisted methods: /)
      .first()
      .waitFor();
    await page.reload();
    expect(await page.getByLabel('What was changed').inputValue()).toBe('contract');
  });

  it('says that no change fits, and leads back to all', async () => {
    await goTo(page, `${path()}?from=2020-01-01&to=2020-01-01`);
    await page.getByText('No change fits this filter').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).first().click();
    await page
      .getByText(/by the auth token /)
      .first()
      .waitFor();
  });

  it('says what happened when the dashboard refuses, and reads again', async () => {
    await page.route('**/sdk/account/audit-log*', (route) =>
      route.fulfill({ status: 400, json: { statusCode: 400, message: 'subject must be known' } }),
    );
    await goTo(page, path());
    await page.getByText('The changes could not be read').waitFor();
    await page.unroute('**/sdk/account/audit-log*');
    await tryAgain(page);
    await page
      .getByText(/by the auth token /)
      .first()
      .waitFor();
  });

  it('is hidden from viewers', async () => {
    const viewer = await openTab(browser);
    await goTo(viewer.page, await signIn(viewer.page, { role: 'viewer' }));
    await viewer.page.getByRole('link', { name: 'Team' }).waitFor();
    expect(await viewer.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await goTo(viewer.page, path());
    await viewer.page.getByText('Your role does not see who changed what').waitFor();
    await viewer.context.close();
  });
});

describe('Live', () => {
  it('shows what an event is about without asking at intervals, and reads all again after a reset', async () => {
    const live = await openTab(browser);
    await live.page.route('**/sdk/events', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: 'retry: 1000\n\nid: 1\nevent: reset\ndata: {}\n\n' }),
    );
    const path = await signIn(live.page);
    const again = live.page.waitForRequest(
      (request) => request.url().endsWith('/sdk/events') && request.headers()['last-event-id'] === '1',
    );
    await goTo(live.page, `${path}/contracts`);
    await again;
    const { accountid } = (await again).headers();
    expect(path).toContain(`/a/${accountid}/`);
    await live.page.waitForRequest('**/sdk/smart-contract');
    await live.context.close();
  });

  it('says that updates come late while there is no stream, and goes on asking', async () => {
    const late = await openTab(browser);
    await late.page.route('**/sdk/events', (route) =>
      route.fulfill({ status: 429, json: { statusCode: 429, message: 'Too many requests', reason: 'RATE_LIMITED' } }),
    );
    const path = await signIn(late.page);
    await goTo(late.page, path);
    await late.page.getByText('Updates come late').waitFor();
    await late.page.waitForRequest(/\/sdk\/operation\?/);
    await late.page.waitForRequest(/\/sdk\/operation\?/);
    await late.page.unroute('**/sdk/events');
    await late.page.getByText('Updates come late').waitFor({ state: 'hidden' });
    await late.context.close();
  });
});

describe('Limits in use', () => {
  const USE = '**/sdk/paymaster-policy/*/use*';
  const limit = {
    rule: 'Two a day: limit per USER and DAY',
    perUser: true,
    unit: 'count',
    amount: '5',
    resetsAt: null,
  };
  const policy = { _id: '7ea9dae1-9a06-4c17-a4fb-7728177b76d3', name: 'Two a day', policyType: 'RULES', active: true };

  it('says how much is used of each account, and what to do when no gateway answers', async () => {
    await page.route('**/sdk/paymaster-policy?*', (route) =>
      route.fulfill(data([{ ...policy, policyData: { limits: [] } }])),
    );
    await page.route(USE, (route) => {
      const sender = new URL(route.request().url()).searchParams.get('sender');
      return route.fulfill(data([{ ...limit, used: sender && '1' }]));
    });
    await goTo(page, `${seeded}/policies`);
    await page.getByRole('button', { name: 'Show what is used' }).click();
    await page.getByText('at most 5 for each account').waitFor();
    await page.getByLabel('Account to look at').fill('0x12');
    await page.getByText('An address is 0x and 40 hex digits.').waitFor();
    await page.getByLabel('Account to look at').fill(`0x${'ab'.repeat(20)}`);
    await page.getByText('used 1 of 5, never resets').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.unroute(USE);
    await page.route(USE, (route) => route.fulfill(NO_GATEWAY));
    await page.reload();
    await page.getByRole('button', { name: 'Show what is used' }).click();
    await page.getByText('ask the operator whether one runs for this chain').waitFor();
    await page.unroute(USE);
    await page.unroute('**/sdk/paymaster-policy?*');
  });
});

describe('Tokens', () => {
  const token = {
    ...{ address: `0x${'cd'.repeat(20)}`, symbol: 'USDx', decimals: 6, source: 'paymaster', premiumPercentage: '10' },
    ...{ price: { feed: null, apiId: 'usd-coin', fixedUsd: null }, chargingWays: ['permit'], exposureCapWei: null },
    logoUrl: null,
  };
  const price = {
    ...{
      address: token.address,
      symbol: 'USDx',
      usd: '0.9998',
      problem: null,
      ageSeconds: 4.2,
      premiumPercentage: '10',
    },
    ...{ sources: ['feed', 'prices.example'], leftOut: ['slow.example'] },
    ...{ exposedWei: '10000000000000000', exposureCapWei: '40000000000000000' },
  };

  it('say what they are worth now, who said so, and how much is unpaid; or what to do when no gateway answers', async () => {
    await page.route('**/sdk/token', (route) => route.fulfill(data([token])));
    await page.route('**/sdk/price', (route) => route.fulfill(data({ nativeUsd: '3200.5', tokens: [price] })));
    await goTo(page, `${seeded}/tokens`);
    await page.getByText('0.9998 USD').waitFor();
    await page.getByText('4 s old; from feed, prices.example; left out: slow.example').waitFor();
    await page.getByText('0.01 ETH 32 USD of 0.04 ETH 128.02 USD').waitFor();
    await page.getByText('1 ETH is worth 3,200.5 USD now.').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.unroute('**/sdk/price');
    await page.route('**/sdk/price', (route) => route.fulfill(NO_GATEWAY));
    await page.reload();
    await page.getByText('The prices could not be read').waitFor();
    await page.getByText('USDx').first().waitFor();
    expect(await page.getByText(/\d USD$/).count()).toBe(0);
    await page.unroute('**/sdk/price');
    await page.unroute('**/sdk/token');
  });

  it('are changed field by field, and say why they were not', async () => {
    const sent: unknown[] = [];
    await page.route('**/sdk/token', (route) => {
      const request = route.request();
      if (request.method() === 'GET') return route.fulfill(data([token]));
      sent.push(request.postDataJSON());
      return sent.length === 1
        ? route.fulfill({ status: 400, json: { statusCode: 400, message: 'premiumPercentage must be text' } })
        : route.fulfill(data(token));
    });
    await goTo(page, `${seeded}/tokens`);
    await page.getByRole('button', { name: 'Edit USDx' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Premium, in percent').fill('lots');
    await form.getByRole('button', { name: 'Save the token' }).click();
    await form.getByText('The token was not changed').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await form.getByLabel('Premium, in percent').fill('12.5');
    await form.getByRole('switch', { name: 'A cap of its own' }).press('Space');
    await form.getByRole('button', { name: 'Save the token' }).click();
    await form.waitFor({ state: 'hidden' });
    const changes = { premiumPercentage: '12.5', exposureCapWei: '10000000000000000' };
    const expected = { premiumPercentage: '10', exposureCapWei: null };
    expect(sent[1]).toEqual({ address: token.address, ...changes, expected });
    await page.unroute('**/sdk/token');
  });
});

describe('Webhooks', () => {
  const webhook = {
    ...{ webhookId: '7ea9dae1-9a06-4c17-a4fb-7728177b76d3', webhookUrl: 'https://hooks.example/a', active: true },
    ...{ requestType: 'POST', events: ['settled'], lowBalanceHours: null, webhookData: null },
  };

  it('are tested with a message that means nothing, and show what the server said', async () => {
    const result = { delivered: false, status: 500, answer: '<b>no</b>', problem: null, tookMs: 120 };
    await page.route('**/sdk/webhook', (route) => route.fulfill(data([webhook])));
    await page.route('**/sdk/webhook/test', (route) => route.fulfill(data(result)));
    await goTo(page, `${seeded}/webhooks`);
    await page.getByRole('button', { name: 'Test https://hooks.example/a' }).click();
    await page.getByText('It did not arrive').waitFor();
    await page.getByText('It answered with HTTP status 500 after 120 ms.').waitFor();
    await page.getByText('<b>no</b>').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.unroute('**/sdk/webhook/test');
    await page.getByRole('button', { name: 'Test https://hooks.example/a' }).click();
    await page.getByText('No message was sent').waitFor();
    await page.unroute('**/sdk/webhook');
  });
});

describe('Wallet', () => {
  const TRANSACTIONS = '**/sdk/funding-wallet/transactions*';

  it('shows what to send with a wallet that is not in this browser, and an error of the dashboard', async () => {
    await goTo(page, `${seeded}/wallet`);
    await page.getByRole('button', { name: 'Deposit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This browser has no wallet').waitFor();
    await dialog
      .getByText(/^0x[0-9a-f]{8,}$/)
      .first()
      .waitFor();
    await dialog.getByText('0.1 ETH', { exact: true }).first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.route(TRANSACTIONS, (route) =>
      route.fulfill({ status: 400, json: { statusCode: 400, message: 'amountWei must be less' } }),
    );
    await dialog.getByLabel('Amount in ETH').fill('0.2');
    await dialog.getByText('The call data could not be read').waitFor();
    await page.unroute(TRANSACTIONS);
    await tryAgain(dialog);
    await dialog.getByText('0.2 ETH', { exact: true }).first().waitFor();
  });
});

describe('An operation that its user paid for in a token', () => {
  it('says what was charged, in which token and how much was received, and at which rate', async () => {
    const { dashboard, authToken, paymaster } = readStack();
    const owner = new DashboardClient(dashboard, authToken);
    const { operations } = await owner.call('get', '/operation', { apiKey: paymaster.apiKey, query: { limit: 200 } });
    const paid = operations.find(({ mode, state }) => mode === 'token' && state === 'settled');
    await goTo(page, `${seeded}/operations?open=${paid?.id}`);
    const detail = page.getByRole('dialog');
    await detail.getByText('Charged, gross').waitFor();
    await detail.getByText(/^[\d,.]+ (USDx|BTCx|DAIx)$/).waitFor();
    await detail.getByText(/^[\d,.]+ (USDx|BTCx|DAIx) for 1 ETH$/).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.route('**/operation/*/calls', (route) =>
      route.fulfill(data({ calls: null, reason: 'transactionUnknown', message: 'Gone.', tokenPayment: null })),
    );
    await page.reload();
    await detail.getByText('not recorded').waitFor();
    await page.unroute('**/operation/*/calls');
  });
});

describe('What it was spent on', () => {
  const SPLIT = /\/sdk\/usage\?by=/;

  it('names contracts, methods and accounts, and keeps the split in the URL', async () => {
    await goTo(page, seeded);
    await page.getByRole('heading', { name: 'What it was spent on' }).waitFor();
    await page.getByRole('cell', { name: /^DemoCounter/ }).waitFor();
    await page.getByRole('radiogroup', { name: 'Split by' }).getByText('Method').click();
    await page.waitForURL(/by=method/);
    await page.getByRole('cell', { name: /^increment\(\) on DemoCounter/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Operations of increment() on DemoCounter' }).click();
    await page.waitForURL(/\/operations\?contract=0x/);
  });

  it('has a row for what no policy sponsored, and adds up', async () => {
    const usage = {
      ...{ start: '2026-11-01T00:00:00.000Z', refused: 0, reverted: 0, voided: 0 },
      ...{ unpriced: 0, receivedUsd: '0', unrecorded: 0 },
    };
    const parts = {
      policy: [{ ...usage, key: 'p1', granted: 2, settled: 2, spentWei: '891', spentUsd: '8.91', netUsd: '8.91' }],
      mode: [
        { ...usage, key: 'sponsored', granted: 2, settled: 2, spentWei: '898', spentUsd: '8.98', netUsd: '8.98' },
        { ...usage, key: 'token', granted: 1, settled: 1, spentWei: '300', spentUsd: '3', netUsd: '3', unrecorded: 1 },
      ],
    };
    await page.route(SPLIT, (route) => {
      const by = new URL(route.request().url()).searchParams.get('by');
      return route.fulfill(data(parts[by as 'policy' | 'mode'] ?? []));
    });
    await goTo(page, `${seeded}?by=policy`);
    await page
      .getByRole('row', { name: 'Without a policy 1 1 0 307 wei 3.07 USD not recorded for 1 3.07 USD' })
      .waitFor();
    await page.getByRole('row', { name: 'All 3 3 0 1,198 wei 11.98 USD not recorded for 1 11.98 USD' }).waitFor();
    await page.getByText('Token, amount or rate are not recorded for 1 operation that users paid for.').waitFor();
    expect(await page.getByText('Burn', { exact: true }).count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
    await page.unroute(SPLIT);
  });

  it('says where nothing was spent, and what the dashboard refuses', async () => {
    await page.route(SPLIT, (route) => route.fulfill(data([])));
    await goTo(page, seeded);
    await page.getByText('Nothing was spent in 30 days').waitFor();
    await page.unroute(SPLIT);
    await page.route(SPLIT, (route) =>
      route.fulfill({ status: 400, json: { statusCode: 400, message: 'by must be known' } }),
    );
    await page.reload();
    await page.getByText('The parts of the usage could not be read').waitFor();
    await page.unroute(SPLIT);
  });
});
