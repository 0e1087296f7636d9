import { readStack } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { executeBatch, type InnerCall } from './support/call-data';
import { dashboardOk } from './support/dashboard-client';
import { INCREMENT, RESET } from './support/demo-contract';
import { eventually, OBEYED_MS } from './support/eventually';
import { expectRpcError } from './support/expect-rpc-error';
import { addToken, changeSettings, freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { call, resultOf, type RpcAnswer, type SponsoredResult } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { askSponsor, withSponsorship } from './support/sponsor';
import { askQuotes, askTokenPaid, erc20, type TokenQuotes } from './support/token-mode';
import { termsOf } from './support/token-payment';
import { approveCall, deployToken, giveTokens, tokenOf, type Token } from './support/tokens';
import type { WireOperation } from './support/wire-operation';

const stack = readStack();
const USDX = tokenOf(stack, 'USDx');
const demo = stack.demoContract.address;
const APPROVE = approveCall(USDX, stack.paymasters['0.6'], 10n ** 30n);

let paymaster: FreshPaymaster;

beforeEach(async () => {
  paymaster = await freshPaymaster(stack, { methods: ['increment'] });
});

/** An operation of a v0.6 account that owns the token. */
async function operationOf(calls: readonly InnerCall[], token: Token = USDX): Promise<WireOperation> {
  const account = await newSimpleAccount(stack, '0.6');
  await giveTokens(stack, { token, holders: [account.address] });
  return draftOperation(stack, account, { callData: executeBatch('0.6', calls) });
}

const increment = () => operationOf([APPROVE, { to: demo, data: INCREMENT }]);
const reset = () => operationOf([APPROVE, { to: demo, data: RESET }]);

const final = (operation: WireOperation, token: Hex = USDX.address): Promise<RpcAnswer> =>
  askTokenPaid({ url: paymaster.url, operation, mode: erc20({ feeTokenAddress: token }) });
const quote = (operation: WireOperation, token: Hex = USDX.address): Promise<RpcAnswer> =>
  askQuotes({ url: paymaster.url, operation, mode: erc20({ preferredToken: token }) });

const signed = (operation: WireOperation, answer: RpcAnswer) =>
  termsOf('0.6', withSponsorship(operation, resultOf<SponsoredResult>(answer)));

const reasonOf = (answer: RpcAnswer) => answer.body.error?.data?.reason;

describe('a change of settings is obeyed within a second', () => {
  it('tokenMode anyCall, the default: what the whitelist does not name is paid for too', async () => {
    const operation = await reset();
    resultOf(await quote(operation));
    resultOf(await final(operation));
  });

  it('tokenMode off, and on again', async () => {
    const operation = await increment();
    resultOf(await quote(operation));
    await changeSettings(stack, paymaster.apiKey, { tokenMode: 'off' });
    const message = /not enabled for this paymaster/;
    await eventually(OBEYED_MS, async () => expectRpcError(await quote(operation), { code: -32602, message }));
    expectRpcError(await final(operation), { code: -32602, message });
    for (const method of ['pm_getPaymasterStubData', 'pm_getPaymasterData']) {
      const chainId = `0x${stack.chainId.toString(16)}`;
      const params = [operation, stack.entryPoints['0.6'], chainId, { token: USDX.address }];
      const answer = await call({ url: paymaster.url, method, params });
      expectRpcError(answer, { code: -32602, dialect: 'ERC-7677', message });
    }
    resultOf(await askSponsor({ url: paymaster.url, operation: await sponsoredOne() }));

    await changeSettings(stack, paymaster.apiKey, { tokenMode: 'anyCall' });
    await eventually(OBEYED_MS, async () => resultOf(await quote(operation)));
  });

  async function sponsoredOne(): Promise<WireOperation> {
    const account = await newSimpleAccount(stack, '0.6');
    return draftOperation(stack, account, { callData: executeBatch('0.6', [{ to: demo, data: INCREMENT }]) });
  }

  it('tokenMode whitelistedCalls: the approve in front is understood, other calls must be whitelisted', async () => {
    const [good, bad] = [await increment(), await reset()];
    await changeSettings(stack, paymaster.apiKey, { tokenMode: 'whitelistedCalls' });
    await eventually(OBEYED_MS, async () => expectRpcError(await final(bad), { code: -32501, message: /whitelist/i }));
    expectRpcError(await quote(bad), { code: -32501, message: /whitelist/i });
    resultOf(await final(good));
  });

  it('tokenChargingWays: without batchApproval an approve in the batch is no way to pay', async () => {
    const operation = await increment();
    await changeSettings(stack, paymaster.apiKey, { tokenChargingWays: ['allowance'] });
    await eventually(OBEYED_MS, async () => {
      expectRpcError(await final(operation), { code: -32501, message: /approve\(.*in an operation of its own first/ });
    });
  });

  it('tokenFeeReceiver: who is paid', async () => {
    const operation = await increment();
    expect(signed(operation, await final(operation)).feeReceiver).toBe(paymaster.fundingWallet.address.toLowerCase());
    const tokenFeeReceiver = '0x00000000000000000000000000000000000000fe';
    await changeSettings(stack, paymaster.apiKey, { tokenFeeReceiver });
    const another = await increment();
    await eventually(OBEYED_MS, async () =>
      expect(signed(another, await final(another)).feeReceiver).toBe(tokenFeeReceiver),
    );
  });
});

describe("a paymaster's own tokens are obeyed within a second", () => {
  const body = { price: { fixedUsd: '2.5' }, premiumPercentage: '1.25' };
  const dashboardToken = (method: 'PATCH' | 'DELETE', more: object) =>
    dashboardOk(stack, { method, path: '/token', apiKey: paymaster.apiKey, body: more });

  async function premiumOf(operation: WireOperation, token: Token): Promise<string | undefined> {
    const { feeQuotes } = resultOf<TokenQuotes>(await quote(operation, token.address));
    return feeQuotes[0]?.premiumPercentage;
  }

  it('add, change, delete', async () => {
    const own = await deployToken(stack, { symbol: 'OWN', decimals: 12 });
    const operation = await increment();
    expect(await premiumOf(operation, own)).toBeUndefined();

    await addToken(stack, paymaster.apiKey, { address: own.address, ...body });
    await eventually(OBEYED_MS, async () => expect(await premiumOf(operation, own)).toBe('1.25'));
    await dashboardToken('PATCH', { address: own.address, premiumPercentage: '50' });
    await eventually(OBEYED_MS, async () => expect(await premiumOf(operation, own)).toBe('50'));
    await dashboardToken('DELETE', { address: own.address });
    await eventually(OBEYED_MS, async () => expect(await premiumOf(operation, own)).toBeUndefined());
  });

  it('overriding one of the chain, and giving it back', async () => {
    const operation = await increment();
    expect(await premiumOf(operation, USDX)).toBe('10');
    await addToken(stack, paymaster.apiKey, {
      address: USDX.address,
      price: { fixedUsd: '1' },
      premiumPercentage: '0',
    });
    await eventually(OBEYED_MS, async () => expect(await premiumOf(operation, USDX)).toBe('0'));
    await dashboardToken('DELETE', { address: USDX.address });
    await eventually(OBEYED_MS, async () => expect(await premiumOf(operation, USDX)).toBe('10'));
  });

  it('of one paymaster are unknown to another', async () => {
    const own = await deployToken(stack, { symbol: 'MINE', decimals: 18 });
    await addToken(stack, paymaster.apiKey, { address: own.address, ...body });
    const other = await freshPaymaster(stack);
    const answer = await askQuotes({
      url: other.url,
      operation: await increment(),
      mode: erc20({ preferredToken: own.address }),
    });
    expect(resultOf(answer)).toMatchObject({ feeQuotes: [], unsupportedTokens: [own.address.toLowerCase()] });
  });

  it('exposureCapWei: unpaid operations that approve in their batch are capped, and named so', async () => {
    const capped = await deployToken(stack, { symbol: 'CAP', decimals: 6 });
    const approve = approveCall(capped, stack.paymasters['0.6'], 10n ** 30n);
    const operations = await Promise.all(
      [0, 1].map(() => operationOf([approve, { to: demo, data: INCREMENT }], capped)),
    );
    const [first, second] = operations as [WireOperation, WireOperation];
    await addToken(stack, paymaster.apiKey, { address: capped.address, ...body, exposureCapWei: '1' });
    const refused = await eventually(OBEYED_MS, async () => {
      const answer = await final(first, capped.address);
      expect(reasonOf(answer)).toBe('TOKEN_EXPOSURE_CAP_REACHED');
      return answer;
    });
    expectRpcError(refused, { code: -32501 });

    // Room for two or three of these: each one's maximum counts until it is paid or expired.
    await dashboardToken('PATCH', { address: capped.address, exposureCapWei: '20000000000000000' });
    await eventually(OBEYED_MS, async () => resultOf(await final(first, capped.address)));
    const answers: RpcAnswer[] = [];
    for (let count = 0; count < 10 && !answers.at(-1)?.body.error; count++) {
      const operation = count === 0 ? second : await operationOf([approve, { to: demo, data: INCREMENT }], capped);
      answers.push(await final(operation, capped.address));
    }
    expect(reasonOf(answers.at(-1) as RpcAnswer)).toBe('TOKEN_EXPOSURE_CAP_REACHED');
  });
});
