import { http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import type { EntryPointVersion } from '@paymaster/domain';
import { readStack, startStrictGateway, type Application } from '@paymaster/devnet';
import type { InnerCall } from './support/call-data';
import { landed } from './support/bundler';
import { chainOf, publicClient } from './support/chain';
import { INCREMENT } from './support/demo-contract';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { paymentIn } from './support/token-payment';
import { approveCall, giveTokens, tokenBalanceOf, tokenOf, type Token } from './support/tokens';
import { viemAccount } from './support/viem-account';

const stack = readStack();
const chain = publicClient(stack);
const increment = { to: stack.demoContract.address, data: INCREMENT };

/** With the bounds that chains have by default: what this client asks for has to be within them. */
let gateway: Application;
let paymaster: FreshPaymaster;

beforeAll(async () => {
  [gateway, paymaster] = await Promise.all([startStrictGateway(stack, () => undefined), freshPaymaster(stack)]);
  paymaster = { ...paymaster, url: `${gateway.url}/api/v2/${stack.chainId}/${paymaster.apiKey}` };
});
afterAll(() => gateway.stop());

/** Pays in the token all by itself: its user names the token and nothing else. */
async function bundlerClient(account: SimpleAccount, token: Token) {
  return createBundlerClient({
    account: await viemAccount(stack, account),
    client: chain,
    chain: chainOf(stack),
    transport: http(stack.bundler),
    paymaster: createPaymasterClient({ transport: http(paymaster.url) }),
    paymasterContext: { token: token.address },
  });
}

describe("viem's unmodified clients with paymasterContext { token }", () => {
  /** Sends the calls; the account's books must balance, and it never owns a coin. */
  async function pay(account: SimpleAccount, { token, calls }: { token: Token; calls: InnerCall[] }) {
    const client = await bundlerClient(account, token);
    const before = await tokenBalanceOf(stack, token, account.address);
    const event = await landed(stack, await client.sendUserOperation({ calls }));
    const contract = stack.paymasters[account.version];
    expect(event).toMatchObject({ success: true, sender: account.address, paymaster: contract });
    const payment = await paymentIn(stack, { ...event, token });
    expect(payment.charged).toBeGreaterThan(0n);
    expect(before - (await tokenBalanceOf(stack, token, account.address))).toBe(payment.charged);
    expect(await chain.getBalance({ address: account.address })).toBe(0n);
    return payment;
  }

  async function holderOf(token: Token, version: EntryPointVersion): Promise<SimpleAccount> {
    const account = await newSimpleAccount(stack, version);
    await giveTokens(stack, { token, holders: [account.address] });
    return account;
  }

  const approve = (token: Token, version: EntryPointVersion) =>
    approveCall(token, stack.paymasters[version], 100n * 10n ** BigInt(token.decimals));

  it.each([
    ['0.6', 'BTCx'],
    ['0.7', 'USDx'],
    ['0.8', 'DAIx'],
  ] as const)('on v%s pay in %s with an approval in the batch', async (version, symbol) => {
    const token = tokenOf(stack, symbol);
    const account = await holderOf(token, version);
    const { refunded } = await pay(account, { token, calls: [approve(token, version), increment] });
    expect(refunded).toBe(0n);
  });

  it.each([
    ['0.6', 'BTCx'],
    ['0.7', 'USDx'],
    ['0.8', 'DAIx'],
  ] as const)('on v%s pay in %s from what is left of an approval', async (version, symbol) => {
    const token = tokenOf(stack, symbol);
    const account = await holderOf(token, version);
    await pay(account, { token, calls: [approve(token, version), increment] });
    const { refunded } = await pay(account, { token, calls: [increment] });
    expect(refunded).toBeGreaterThan(0n);
  });
});
