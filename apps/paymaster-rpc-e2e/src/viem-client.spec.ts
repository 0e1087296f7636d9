import { http, type Hex } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { readStack, startStrictGateway, type Application } from '@paymaster/devnet';
import { landed } from './support/bundler';
import { chainOf, publicClient } from './support/chain';
import { demoContractAbi, INCREMENT, RESET } from './support/demo-contract';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { viemAccount } from './support/viem-account';

const stack = readStack();
const chain = publicClient(stack);
const { address: demo } = stack.demoContract;

const countOf = (account: Hex) =>
  chain.readContract({ abi: demoContractAbi, address: demo, functionName: 'countOf', args: [account] });

/** With the bounds that chains have by default: the fees that viem takes by itself have to be within them. */
let gateway: Application;
let paymaster: FreshPaymaster;

beforeAll(async () => {
  [gateway, paymaster] = await Promise.all([startStrictGateway(stack, () => undefined), freshPaymaster(stack)]);
  paymaster = { ...paymaster, url: `${gateway.url}/api/v2/${stack.chainId}/${paymaster.apiKey}` };
});
afterAll(() => gateway.stop());

describe.each(['0.6', '0.7', '0.8', '0.9'] as const)(
  "viem's bundler client on v%s, with its unmodified paymaster client",
  (version) => {
    async function bundlerClient(account: SimpleAccount, transport = http(paymaster.url)) {
      return createBundlerClient({
        account: await viemAccount(stack, account),
        client: chain,
        chain: chainOf(stack),
        transport: http(stack.bundler),
        paymaster: createPaymasterClient({ transport }),
      });
    }

    it('deploys a penniless account with its first call, then calls again, at the fees that viem takes', async () => {
      const account = await newSimpleAccount(stack, version);
      const client = await bundlerClient(account);
      const calls = [{ to: demo, data: INCREMENT }];

      // viem doubles the tip that it finds: fees that spiral show after some operations.
      for (let count = 1n; count <= (version === '0.7' ? 10n : 2n); count++) {
        const event = await landed(stack, await client.sendUserOperation({ calls }));
        expect(event).toMatchObject({ success: true, sender: account.address, paymaster: stack.paymasters[version] });
        expect(await countOf(account.address)).toBe(count);
      }
      expect(await chain.getBalance({ address: account.address })).toBe(0n);
    });

    it('lands a batch', async () => {
      const account = await newSimpleAccount(stack, version);
      const client = await bundlerClient(account);
      const hash = await client.sendUserOperation({
        calls: [
          { to: demo, data: INCREMENT },
          { to: demo, data: INCREMENT },
        ],
      });
      expect(await landed(stack, hash)).toMatchObject({ success: true });
      expect(await countOf(account.address)).toBe(2n);
    });

    it('shows the developer the refusal, with its code and reason, after a single try', async () => {
      let tries = 0;
      const transport = http(paymaster.url, { onFetchRequest: () => void tries++ });
      const client = await bundlerClient(await newSimpleAccount(stack, version), transport);
      const failure = await client.sendUserOperation({ calls: [{ to: demo, data: RESET }] }).then(
        () => undefined,
        (error: unknown) => error as Error,
      );

      expect(failure?.message).toMatch(/whitelist/i);
      expect(causes(failure)).toContainEqual(
        expect.objectContaining({ code: -32501, data: expect.objectContaining({ reason: expect.any(String) }) }),
      );
      expect(tries).toBe(1);
    });
  },
);

function causes(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
