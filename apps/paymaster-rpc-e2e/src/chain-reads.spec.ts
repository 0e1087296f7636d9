import { createPublicClient, http, numberToHex } from 'viem';
import { readStack } from '@paymaster/devnet';
import { chainOf, publicClient } from './support/chain';
import { INCREMENT } from './support/demo-contract';
import { freshPaymaster } from './support/fresh-paymaster';
import { call, type RpcAnswer } from './support/json-rpc';
import { newSimpleAccount } from './support/simple-account';

const stack = readStack();
/** Code that returns 42. */
const ANSWER = '0x602a60005260206000f3';
/** Code that returns the gas it had. */
const GAS_LEFT = '0x5a60005260206000f3';

describe('reads of the chain at the address of a key', () => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await freshPaymaster(stack));
  });
  const ask = (method: string, ...params: unknown[]): Promise<RpcAnswer> => call({ url, method, params });

  it.each([{}, { to: null }])(
    'call code that is at no address yet, as SDKs do for an account to be: %j',
    async (to) => {
      const { body } = await ask('eth_call', { ...to, data: ANSWER }, 'latest');
      expect(body.result).toBe(numberToHex(42, { size: 32 }));
    },
  );

  it('are enough for viem to read the nonce of an account to be and call its factory', async () => {
    const client = createPublicClient({ chain: chainOf(stack), transport: http(url) });
    const account = await newSimpleAccount(stack, '0.7');
    const asked = { factory: account.factory, factoryData: account.factoryData, to: stack.demoContract.address };
    const [through, directly] = await Promise.all(
      [client, publicClient(stack)].map((each) => each.call({ ...asked, data: INCREMENT })),
    );
    expect(through).toEqual(directly);
  });

  it('have at most ten million gas, whatever was asked for', async () => {
    for (const gas of [undefined, numberToHex(10n ** 9n)]) {
      const { body } = await ask('eth_call', { data: GAS_LEFT, ...(gas && { gas }) }, 'latest');
      expect(BigInt(body.result as string)).toBeLessThan(10_000_000n);
    }
  });

  it.each([
    ['a call of nothing', 'eth_call', {}, 'params[0].to'],
    ['an estimate of code without an address', 'eth_estimateGas', { data: ANSWER }, 'params[0].to'],
    ['half a byte', 'eth_call', { data: '0x6' }, 'params[0].data'],
  ])('refuse %s, and name the field', async (_what, method, asked, field) => {
    const { body } = await ask(method, asked, 'latest');
    expect(body.error).toMatchObject({ code: -32602, data: { field } });
  });
});
