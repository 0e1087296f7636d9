import { controlPriceServer, readStack, startGatewayWithOwnPrices, type Stack } from '@paymaster/devnet';
import { executeBatch } from './support/call-data';
import { INCREMENT } from './support/demo-contract';
import { eventually, PATIENCE_MS } from './support/eventually';
import { expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { http, resultOf, type RpcAnswer } from './support/json-rpc';
import { answerOf, setFeed } from './support/price-feed';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { askSponsor } from './support/sponsor';
import { askQuotes, askTokenPaid, erc20, type TokenQuotes } from './support/token-mode';
import { approveCall, giveTokens, tokenOf } from './support/tokens';
import type { WireOperation } from './support/wire-operation';

const shared = readStack();
const [USDX, BTCX] = [tokenOf(shared, 'USDx'), tokenOf(shared, 'BTCx')];
const increment = { to: shared.demoContract.address, data: INCREMENT };
/** A few background refreshes, and half a minute for which an API that failed is left alone. */
const NOTICED_MS = 2 * PATIENCE_MS;
/** Longer than a price may be old in the local world: nothing is left of what was read before. */
const FORGOTTEN_MS = 15_000;
const DAY = 86_400;

/** The world as a gateway of this file's own sees it: the tests spoil the prices that this gateway reads. */
let stack: Stack;
let stop: () => Promise<void>;
let paymaster: FreshPaymaster;
let operation: WireOperation;
let answers: ReadonlyMap<string, bigint>;

beforeAll(async () => {
  ({ stack, stop } = await startGatewayWithOwnPrices(shared, () => undefined));
  paymaster = await freshPaymaster(stack);
  const account = await newSimpleAccount(stack, '0.6');
  await giveTokens(stack, { token: USDX, holders: [account.address] });
  const callData = executeBatch('0.6', [approveCall(USDX, stack.paymasters['0.6'], 10n ** 30n), increment]);
  operation = await draftOperation(stack, account, { callData });
  answers = new Map(
    await Promise.all(Object.keys(stack.feeds).map(async (symbol) => [symbol, await answerOf(stack, symbol)] as const)),
  );
});

/** Both sources of every asset as they were. */
async function restore(): Promise<void> {
  await controlPriceServer(stack, { mode: 'ok' });
  await Promise.all([...answers].map(([symbol, answer]) => setFeed(stack, { symbol, answer })));
  await eventually(NOTICED_MS, async () => expect(await quoted()).toEqual(['BTCx', 'DAIx', 'USDx']));
}

beforeEach(restore);
afterAll(() => stop?.());

const ask = (tokenInfo: object): Promise<RpcAnswer> =>
  askQuotes({ url: paymaster.url, operation, mode: erc20(tokenInfo) });
const final = (): Promise<RpcAnswer> =>
  askTokenPaid({ url: paymaster.url, operation, mode: erc20({ feeTokenAddress: USDX.address }) });

/** Symbols that have a quote when all are asked for. */
async function quoted(): Promise<string[]> {
  return resultOf<TokenQuotes>(await ask({}))
    .feeQuotes.map(({ symbol }) => symbol)
    .sort();
}

async function quotedAllTheTime(): Promise<void> {
  for (const end = Date.now() + FORGOTTEN_MS; Date.now() < end;) {
    expect(await quoted()).toEqual(['BTCx', 'DAIx', 'USDx']);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

const reasonOf = (answer: RpcAnswer) => answer.body.error?.data?.reason;

/** Everything, the coin too, or the feed of one symbol. */
const stale = (symbols: readonly string[] = Object.keys(stack.feeds)) =>
  Promise.all(symbols.map((symbol) => setFeed(stack, { symbol, answer: answers.get(symbol) ?? 1n, ageSeconds: DAY })));

// Some cases wait for prices to be forgotten.
jest.setTimeout(600_000);

describe('prices', () => {
  // First: an API that has failed for a while is left alone for half a minute.
  it('with every feed stale the price API is enough', async () => {
    await stale();
    await quotedAllTheTime();
  });

  it.each(['http500', 'hang'] as const)('with the price API in mode %s the feeds are enough', async (mode) => {
    await controlPriceServer(stack, { mode });
    await quotedAllTheTime();
    resultOf(await final());
  });

  it('of both sources gone: -32011 with Retry-After for tokens, nothing is signed, sponsorship goes on', async () => {
    await stale();
    await controlPriceServer(stack, { mode: 'http500' });
    const refused = await eventually(NOTICED_MS, async () => {
      const answer = await final();
      expectRpcError(answer, { code: -32011 });
      return answer;
    });
    expect(refused.status).toBe(503);
    expect(reasonOf(refused)).toBe('PRICE_UNAVAILABLE');
    expect(refused.text).not.toMatch(/paymasterAndData|paymasterData/);
    expectRpcError(await ask({ preferredToken: USDX.address }), { code: -32011 });
    // The last prices of tokens whose feed was the last to go hold a little longer.
    await eventually(NOTICED_MS, async () => expectRpcError(await ask({}), { code: -32011 }));

    const account = await newSimpleAccount(stack, '0.6');
    const callData = executeBatch('0.6', [increment]);
    resultOf(await askSponsor({ url: paymaster.url, operation: await draftOperation(stack, account, { callData }) }));
    await eventually(PATIENCE_MS, async () => {
      const ready = await http({ url: `${stack.paymasterRpc}/health/ready`, method: 'GET', headers: {} });
      expect(ready.status).toBe(200);
    });
  });

  it('of one token gone: it alone has no quote, and says why when it is asked for alone', async () => {
    await stale(['BTCx']);
    await controlPriceServer(stack, { mode: 'dropOne', droppedId: 'demo-bitcoin' });
    await eventually(NOTICED_MS, async () => expect(await quoted()).toEqual(['DAIx', 'USDx']));
    const answer = await ask({ preferredToken: BTCX.address });
    expectRpcError(answer, { code: -32011 });
    expect(answer.body.error?.data).toMatchObject({ reason: 'PRICE_UNAVAILABLE', cause: expect.any(String) });
    resultOf(await final());
  });

  it('that disagree: no quote for anything, until they agree again', async () => {
    await controlPriceServer(stack, { mode: 'factor', factor: 2 });
    await eventually(NOTICED_MS, async () => expectRpcError(await final(), { code: -32011 }));
    await controlPriceServer(stack, { mode: 'ok' });
    await eventually(NOTICED_MS, async () => resultOf(await final()));
  });

  it('of a feed that says zero or less are not believed', async () => {
    await setFeed(stack, { symbol: 'BTCx', answer: -1n });
    await controlPriceServer(stack, { mode: 'dropOne', droppedId: 'demo-bitcoin' });
    await eventually(NOTICED_MS, async () => expect(await quoted()).toEqual(['DAIx', 'USDx']));
  });
});
