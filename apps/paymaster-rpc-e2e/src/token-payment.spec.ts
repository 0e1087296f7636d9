import { numberToHex } from 'viem';
import { readStack } from '@paymaster/devnet';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { land, type Landed } from './support/bundler';
import { executeBatch, type InnerCall } from './support/call-data';
import { publicClient } from './support/chain';
import { INCREMENT } from './support/demo-contract';
import { eventually, PATIENCE_MS } from './support/eventually';
import { expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { depositOf } from './support/paymaster-contract';
import { draftOperation, newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { approvalOf, askTokenPaid, erc20, quotes, tokenPaid, type FeeQuote } from './support/token-mode';
import { creditOf, paymentIn, termsOf, tokensFor, type TokenTerms } from './support/token-payment';
import { approveCall, giveTokens, tokenBalanceOf, tokenOf, transferCall, type Token } from './support/tokens';
import { signOperation, type WireOperation } from './support/wire-operation';

const stack = readStack();
const chain = publicClient(stack);
const INCREMENT_CALL: InnerCall = { to: stack.demoContract.address, data: INCREMENT };
const USDX = tokenOf(stack, 'USDx');

/** The shortest validity there is. Nothing but waiting ends it: the chain's clock is everybody's. */
const EXPIRY_SECONDS = 120;

let paymaster: FreshPaymaster;
/** A quote that expires while other tests run. */
let early: Awaited<ReturnType<typeof quoteThatExpires>>;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
  early = await quoteThatExpires();
});

const entryPointOf = (version: EntryPointVersion) => stack.entryPoints[version];

/** An account that owns tokens and no coin. */
async function holderOf(token: Token, version: EntryPointVersion): Promise<SimpleAccount> {
  const account = await newSimpleAccount(stack, version);
  await giveTokens(stack, { token, holders: [account.address] });
  return account;
}

interface Quoted {
  readonly quote: FeeQuote;
  readonly approval: bigint;
  readonly spender: Hex;
}

async function quoteFor(operation: WireOperation, { token, version }: Wish): Promise<Quoted> {
  const { feeQuotes, paymasterAddress } = await quotes({
    url: paymaster.url,
    operation,
    mode: erc20({ preferredToken: token.address, tokenList: [token.address] }),
    entryPoint: entryPointOf(version),
  });
  const [quote] = feeQuotes as [FeeQuote];
  return { quote, approval: approvalOf(quote), spender: paymasterAddress };
}

interface Wish {
  readonly version: EntryPointVersion;
  readonly token: Token;
}

/** The final call, signature, landing: what the gateway signed and what the chain says. */
async function payAndLand(
  operation: WireOperation,
  { account, token }: { account: SimpleAccount; token: Token },
): Promise<{ terms: TokenTerms; event: Landed }> {
  const { version, owner } = account;
  const mode = erc20({ feeTokenAddress: token.address });
  const filled = await tokenPaid({ url: paymaster.url, operation, mode, entryPoint: entryPointOf(version) });
  const event = await land(stack, version, await signOperation(filled, { stack, version, owner }));
  return { terms: termsOf(version, filled), event };
}

async function quoteThatExpires() {
  const account = await holderOf(USDX, '0.6');
  const approve = approveCall(USDX, stack.paymasters['0.6'], 10n ** 30n);
  const operation = await draftOperation(stack, account, { callData: executeBatch('0.6', [approve, INCREMENT_CALL]) });
  const { url } = paymaster;
  const quote = async () => {
    const mode = erc20({ preferredToken: USDX.address }, { expiryDuration: EXPIRY_SECONDS });
    return (await quotes({ url, operation, mode })).feeQuotes[0] as FeeQuote;
  };
  const final = () => askTokenPaid({ url, operation, mode: erc20({ feeTokenAddress: USDX.address }) });
  const { validUntil } = await quote();
  return { validUntil, quote, final };
}

/** Every balance a payment may move. */
async function books({ account, token }: { account: SimpleAccount; token: Token }) {
  const contract = stack.paymasters[account.version];
  const receiver = paymaster.fundingWallet.address;
  const [sender, wallet, held, credit, coin] = await Promise.all([
    tokenBalanceOf(stack, token, account.address),
    depositOf(stack, account.version, receiver),
    tokenBalanceOf(stack, token, receiver),
    creditOf(stack, { paymaster: contract, token, account: receiver }),
    chain.getBalance({ address: account.address }),
  ]);
  return { sender, wallet, held, credit, coin };
}

describe.each(['0.6', '0.7', '0.8', '0.9'] as const)('paid in tokens on v%s', (version) => {
  it.each(['USDx', 'BTCx', 'DAIx'])('%s: approved in the batch, the books balance to the last unit', async (symbol) => {
    const token = tokenOf(stack, symbol);
    const account = await holderOf(token, version);
    const before = await books({ account, token });
    const first = await draftOperation(stack, account, { callData: executeBatch(version, [INCREMENT_CALL]) });
    const { approval, spender } = await quoteFor(first, { version, token });

    const callData = executeBatch(version, [approveCall(token, spender, approval), INCREMENT_CALL]);
    const { terms, event } = await payAndLand({ ...first, callData }, { account, token });
    const after = await books({ account, token });
    const payment = await paymentIn(stack, { ...event, token });

    expect(event).toMatchObject({ success: true, sender: account.address, paymaster: stack.paymasters[version] });
    expect(terms).toMatchObject({ way: 'batchApproval', token: token.address.toLowerCase() });
    expect(terms.feeReceiver).toBe(paymaster.fundingWallet.address.toLowerCase());
    expect(terms.maxTokenCharge).toBeLessThanOrEqual(approval);
    const spentWei = before.wallet - after.wallet;
    expect(spentWei).toBeGreaterThanOrEqual(event.actualGasCostWei);
    expect(payment).toMatchObject({ charged: tokensFor(spentWei, terms), refunded: 0n });
    expect(payment.leftSender).toBe(payment.charged);
    expect(before.sender - after.sender).toBe(payment.charged);
    expect(after.held - before.held).toBe(payment.charged);
    expect(payment.keptByPaymaster).toBe(0n);
    expect([before.coin, after.coin]).toEqual([0n, 0n]);
  });

  it('from an allowance given before: the maximum is taken first, the rest comes back', async () => {
    const token = USDX;
    const account = await holderOf(token, version);
    const first = await draftOperation(stack, account, { callData: executeBatch(version, [INCREMENT_CALL]) });
    const { approval, spender } = await quoteFor(first, { version, token });
    const callData = executeBatch(version, [approveCall(token, spender, approval * 5n), INCREMENT_CALL]);
    await payAndLand({ ...first, callData }, { account, token });

    const before = await books({ account, token });
    const wish = { callData: executeBatch(version, [INCREMENT_CALL]), nonce: 1n, deployed: true };
    const { terms, event } = await payAndLand(await draftOperation(stack, account, wish), { account, token });
    const after = await books({ account, token });
    const payment = await paymentIn(stack, { ...event, token });

    expect(event.success).toBe(true);
    expect(terms.way).toBe('allowance');
    expect(payment.charged).toBe(tokensFor(before.wallet - after.wallet, terms));
    expect(payment.refunded).toBeGreaterThan(0n);
    expect(payment.charged + payment.refunded).toBeLessThanOrEqual(terms.maxTokenCharge);
    expect(before.sender - after.sender).toBe(payment.charged);
    expect(payment.leftSender).toBe(payment.charged);
    expect(after.credit - before.credit).toBe(payment.charged);
    expect(payment.keptByPaymaster).toBe(payment.charged);
    expect(after.coin).toBe(0n);
  });
});

describe('the final call refuses', () => {
  const token = USDX;
  const version = '0.6';
  const final = (operation: WireOperation) =>
    askTokenPaid({ url: paymaster.url, operation, mode: erc20({ feeTokenAddress: token.address }) });

  async function draft(account: SimpleAccount, calls: readonly InnerCall[]): Promise<WireOperation> {
    return draftOperation(stack, account, { callData: executeBatch(version, calls) });
  }
  const approve = (amount = 10n ** 30n) => approveCall(token, stack.paymasters[version], amount);

  it('an account without tokens, in the words that SDKs know', async () => {
    const operation = await draft(await newSimpleAccount(stack, version), [approve(), INCREMENT_CALL]);
    expectRpcError(await final(operation), { code: -32501, message: /account does not have enough token balance/ });
  });

  it('an account that sends its tokens away in the same operation', async () => {
    const account = await holderOf(token, version);
    const all = await tokenBalanceOf(stack, token, account.address);
    const away = transferCall(token, stack.demoContract.address, all);
    const operation = await draft(account, [approve(), away, INCREMENT_CALL]);
    expectRpcError(await final(operation), { code: -32501, message: /account does not have enough token balance/ });
  });

  it('an account that approves nothing, naming the spender and the amount', async () => {
    const operation = await draft(await holderOf(token, version), [INCREMENT_CALL]);
    const message = new RegExp(`${stack.paymasters[version]}.*[0-9]`, 'i');
    const answer = await final(operation);
    expectRpcError(answer, { code: -32501, message });
    expect(answer.body.error?.data?.reason).toBe('TOKEN_ALLOWANCE_TOO_LOW');
  });

  it('an account that approves too little', async () => {
    const operation = await draft(await holderOf(token, version), [approve(1n), INCREMENT_CALL]);
    const answer = await final(operation);
    expectRpcError(answer, { code: -32501 });
    expect(answer.body.error?.data?.reason).toBe('TOKEN_ALLOWANCE_TOO_LOW');
  });

  it('an account that takes the approval back', async () => {
    const operation = await draft(await holderOf(token, version), [approve(), INCREMENT_CALL, approve(0n)]);
    const answer = await final(operation);
    expectRpcError(answer, { code: -32501 });
    expect(answer.body.error?.data?.reason).toBe('TOKEN_ALLOWANCE_TOO_LOW');
  });

  it('an operation that outgrew its quote', async () => {
    const account = await holderOf(token, version);
    const quoted = await draft(account, [INCREMENT_CALL]);
    await quoteFor(quoted, { version, token });
    const callData = executeBatch(version, [approve(), INCREMENT_CALL]);
    const dearer = { ...quoted, callData, maxFeePerGas: numberToHex(3n * BigInt(quoted.maxFeePerGas)) };
    const answer = await final(dearer);
    expectRpcError(answer, { code: -32501 });
    expect(answer.body.error?.data?.reason).toBe('QUOTE_CEILING_EXCEEDED');
  });
});

describe('a quote', () => {
  it(
    'that has expired is refused in the final call, and asking again helps',
    async () => {
      const { validUntil, quote, final } = early;
      await new Promise((resolve) => setTimeout(resolve, validUntil * 1_000 - Date.now()));
      // The gateway knows the chain's time once it has read its head.
      const answer = await eventually(PATIENCE_MS, async () => {
        const late = await final();
        expectRpcError(late, { code: -32501, message: /expired/ });
        return late;
      });
      expect(answer.body.error?.data?.reason).toBe('QUOTE_EXPIRED');

      await quote();
      expect((await final()).body.error).toBeUndefined();
    },
    (EXPIRY_SECONDS + 300) * 1_000,
  );
});
