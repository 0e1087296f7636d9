import { type Hex } from 'viem';
import { readStack } from '@paymaster/devnet';
import { land } from './support/bundler';
import { execute } from './support/call-data';
import { publicClient } from './support/chain';
import { demoContractAbi, INCREMENT, RESET } from './support/demo-contract';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { type SponsoredResult } from './support/json-rpc';
import { depositOf } from './support/paymaster-contract';
import { returnedBy, runSdk, SDK_CLIENTS, type SdkClient, type SdkRequest } from './support/sdk-client';
import { draftOperation, newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { withSponsorship } from './support/sponsor';
import { signOperation, type WireOperation } from './support/wire-operation';

const stack = readStack();
const chain = publicClient(stack);
const { address: demo } = stack.demoContract;

const CLIENTS = Object.keys(SDK_CLIENTS) as SdkClient[];
const METHODS = ['getPaymasterFeeQuotesOrData', 'getPaymasterAndData'] as const;
const OPTIONS = { mode: 'SPONSORED', smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } };

interface Wish extends Pick<SdkRequest, 'method'> {
  readonly operation: WireOperation;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly paymasterUrl?: string;
}

const countOf = (account: Hex) =>
  chain.readContract({ abi: demoContractAbi, address: demo, functionName: 'countOf', args: [account] });

let paymaster: FreshPaymaster;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
});

async function v06(callData: Hex): Promise<{ account: SimpleAccount; operation: WireOperation }> {
  const account = await newSimpleAccount(stack, '0.6');
  return { account, operation: await draftOperation(stack, account, { callData }) };
}

describe.each(CLIENTS)('BiconomyPaymaster of %s, unmodified', (client) => {
  const ask = ({ operation, options = OPTIONS, ...request }: Wish) =>
    runSdk(client, { paymasterUrl: paymaster.url, ...request, args: [operation, options] });

  it.each(METHODS)('%s gets data that lands a penniless v0.6 SimpleAccount through the bundler', async (method) => {
    const { account, operation } = await v06(execute({ to: demo, data: INCREMENT }));
    const before = await depositOf(stack, '0.6', paymaster.fundingWallet.address);

    const data = returnedBy(await ask({ method, operation }));
    expect(data).toEqual({
      paymasterAndData: expect.stringMatching(/^0x[0-9a-f]{252}$/),
      preVerificationGas: expect.stringMatching(/^[1-9][0-9]*$/),
      verificationGasLimit: expect.any(Number),
      callGasLimit: expect.any(Number),
    });

    const filled = withSponsorship(operation, data as unknown as SponsoredResult);
    const context = { stack, version: '0.6', owner: account.owner } as const;
    const event = await land(stack, '0.6', await signOperation(filled, context));

    expect(event).toMatchObject({ success: true, sender: account.address, paymaster: stack.paymasters['0.6'] });
    expect(await countOf(account.address)).toBe(1n);
    expect(await chain.getBalance({ address: account.address })).toBe(0n);
    const spent = before - (await depositOf(stack, '0.6', paymaster.fundingWallet.address));
    expect(spent).toBeGreaterThanOrEqual(event.actualGasCostWei);
  });

  it.each(METHODS)('%s shows the developer why a method that is not whitelisted is refused', async (method) => {
    const { operation } = await v06(execute({ to: demo, data: RESET }));
    const outcome = await ask({ method, operation });
    expect(outcome).toMatchObject({ thrown: { message: expect.stringMatching(/whitelist/i) } });
  });

  it.each(METHODS)('%s shows the developer that the API key is wrong', async (method) => {
    const { operation } = await v06(execute({ to: demo, data: INCREMENT }));
    const paymasterUrl = paymaster.url.replace(/.{12}$/, '0123456789ab');
    const outcome = await ask({ method, operation, paymasterUrl });
    expect(outcome).toMatchObject({ thrown: { message: expect.stringMatching(/api ?key/i) } });
  });

  it.each(METHODS)('%s shows the developer that token mode is off', async (method) => {
    const { url } = await freshPaymaster(stack, { settings: { tokenMode: 'off' } });
    const { operation } = await v06(execute({ to: demo, data: INCREMENT }));
    const options = { ...OPTIONS, mode: 'ERC20', feeTokenAddress: demo, preferredToken: demo, tokenList: [demo] };
    const outcome = await ask({ method, operation, options, paymasterUrl: url });
    expect(outcome).toMatchObject({ thrown: { message: expect.stringContaining('not enabled for this paymaster') } });
  });

  it('the quote call falls back to user-paid gas ("0x") when nothing is whitelisted', async () => {
    const { url } = await freshPaymaster(stack, { methods: null });
    const { operation } = await v06(execute({ to: demo, data: INCREMENT }));
    const outcome = await ask({ method: 'getPaymasterFeeQuotesOrData', operation, paymasterUrl: url });
    expect(returnedBy(outcome)).toMatchObject({ paymasterAndData: '0x' });
  });

  it('the quote call falls back to user-paid gas ("0x") for a contract that is not registered', async () => {
    const { operation } = await v06(execute({ to: stack.entryPoints['0.6'], data: INCREMENT }));
    const outcome = await ask({ method: 'getPaymasterFeeQuotesOrData', operation });
    expect(returnedBy(outcome)).toMatchObject({ paymasterAndData: '0x' });
  });

  it('gets a result with paymasterAndData "0x" and all limits from a paymaster that lets users pay', async () => {
    const { url } = await freshPaymaster(stack, { methods: ['add'], settings: { onRefusal: 'userPays' } });
    const { operation } = await v06(execute({ to: demo, data: INCREMENT }));
    const outcome = await ask({ method: 'getPaymasterAndData', operation, paymasterUrl: url });
    expect(returnedBy(outcome)).toEqual({
      paymasterAndData: '0x',
      preVerificationGas: expect.stringMatching(/^[1-9][0-9]*$/),
      verificationGasLimit: expect.any(Number),
      callGasLimit: expect.any(Number),
    });
  });
});
