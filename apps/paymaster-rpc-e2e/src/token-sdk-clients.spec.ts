import { type Hex } from 'viem';
import { readStack } from '@paymaster/devnet';
import { land } from './support/bundler';
import { execute, executeBatch } from './support/call-data';
import { publicClient } from './support/chain';
import { demoContractAbi, INCREMENT } from './support/demo-contract';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { type SponsoredResult } from './support/json-rpc';
import { returnedBy, runSdk, SDK_CLIENTS, type SdkClient, type SdkRequest } from './support/sdk-client';
import { draftOperation, newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { withSponsorship } from './support/sponsor';
import { type FeeQuote } from './support/token-mode';
import { paymentIn } from './support/token-payment';
import { giveTokens, tokenBalanceOf, tokenOf, type Token } from './support/tokens';
import { signOperation } from './support/wire-operation';

const stack = readStack();
const chain = publicClient(stack);
const { address: demo } = stack.demoContract;
const increment = { to: demo, data: INCREMENT };
const smartAccountInfo = { name: 'INFINITISM', version: '1.0.0' };

/** What each generation puts on the quote call in place of gas limits (its account package, not its paymaster client). */
const LIMITS_SENT: Readonly<Record<SdkClient, object>> = {
  '@biconomy/account 4.6.3': {},
  '@biconomy/paymaster 3.1.4': {
    callGasLimit: '800000',
    verificationGasLimit: '1000000',
    preVerificationGas: '100000',
  },
};

let paymaster: FreshPaymaster;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
});

describe.each(Object.keys(SDK_CLIENTS) as SdkClient[])('token payments with %s, unmodified', (client) => {
  const run = async (method: SdkRequest['method'], ...args: unknown[]) =>
    returnedBy(await runSdk(client, { paymasterUrl: paymaster.url, method, args }));

  async function holder(token: Token): Promise<SimpleAccount> {
    const account = await newSimpleAccount(stack, '0.6');
    await giveTokens(stack, { token, holders: [account.address] });
    return account;
  }

  it.each(['USDx', 'BTCx', 'DAIx'])(
    'quote, approval built by the client, final call and landing, paid in %s',
    async (symbol) => {
      const token = tokenOf(stack, symbol);
      const account = await holder(token);
      const before = await tokenBalanceOf(stack, token, account.address);
      const draft = await draftOperation(stack, account, { callData: execute(increment) });

      const quoted = await run(
        'getPaymasterFeeQuotesOrData',
        { ...draft, ...LIMITS_SENT[client] },
        {
          mode: 'ERC20',
          tokenList: [token.address],
          preferredToken: token.address,
          smartAccountInfo,
        },
      );
      const [feeQuote] = quoted['feeQuotes'] as [FeeQuote];
      expect(feeQuote).toMatchObject({ symbol, decimal: token.decimals });
      const spender = quoted['tokenPaymasterAddress'] as Hex;
      expect(spender.toLowerCase()).toBe(stack.paymasters['0.6'].toLowerCase());

      const approval = await run('buildTokenApprovalTransaction', { feeQuote, spender });
      expect((approval['to'] as Hex).toLowerCase()).toBe(token.address.toLowerCase());

      const approve = { to: approval['to'] as Hex, data: approval['data'] as Hex };
      const operation = { ...draft, callData: executeBatch('0.6', [approve, increment]) };
      const options = { mode: 'ERC20', feeTokenAddress: feeQuote.tokenAddress, smartAccountInfo };
      const data = await run('getPaymasterAndData', operation, options);
      const filled = withSponsorship(operation, data as unknown as SponsoredResult);
      const context = { stack, version: '0.6', owner: account.owner } as const;
      const event = await land(stack, '0.6', await signOperation(filled, context));

      expect(event).toMatchObject({ success: true, sender: account.address, paymaster: stack.paymasters['0.6'] });
      const { charged } = await paymentIn(stack, { ...event, token });
      expect(charged).toBeGreaterThan(0n);
      expect(charged).toBeLessThanOrEqual(BigInt(Math.ceil(feeQuote.maxGasFee * 10 ** feeQuote.decimal)));
      expect(before - (await tokenBalanceOf(stack, token, account.address))).toBe(charged);
      expect(await chain.getBalance({ address: account.address })).toBe(0n);
      const count = { abi: demoContractAbi, address: demo, functionName: 'countOf', args: [account.address] } as const;
      expect(await chain.readContract(count)).toBe(1n);
    },
  );

  it('an empty tokenList gives a quote for every token: getSupportedTokens prices an empty call to oneself', async () => {
    const account = await newSimpleAccount(stack, '0.6');
    const callData = execute({ to: account.address, data: '0x' });
    const draft = await draftOperation(stack, account, { callData });
    const options = { mode: 'ERC20', tokenList: [], smartAccountInfo };
    const quoted = await run('getPaymasterFeeQuotesOrData', { ...draft, ...LIMITS_SENT[client] }, options);
    const supported = (quoted['feeQuotes'] as FeeQuote[]).map(
      ({ symbol, tokenAddress, decimal, logoUrl, premiumPercentage }) => ({
        symbol,
        tokenAddress: tokenAddress.toLowerCase(),
        decimal,
        logoUrl,
        premiumPercentage,
      }),
    );
    expect(supported).toHaveLength(stack.tokens.length);
    for (const { symbol, address, decimals } of stack.tokens) {
      expect(supported).toContainEqual({
        symbol,
        tokenAddress: address.toLowerCase(),
        decimal: decimals,
        logoUrl: expect.stringMatching(/^https:\/\//),
        premiumPercentage: expect.stringMatching(/^[0-9]+(\.[0-9]+)?$/),
      });
    }
  });

  it('shows the developer that the account owns too few tokens', async () => {
    const token = tokenOf(stack, 'USDx');
    const account = await newSimpleAccount(stack, '0.6');
    const draft = await draftOperation(stack, account, { callData: execute(increment) });
    const options = { mode: 'ERC20', feeTokenAddress: token.address, smartAccountInfo };
    const outcome = await runSdk(client, {
      paymasterUrl: paymaster.url,
      method: 'getPaymasterAndData',
      args: [draft, options],
    });
    const message = expect.stringContaining('account does not have enough token balance') as string;
    expect(outcome).toMatchObject({ thrown: { message } });
  });
});
