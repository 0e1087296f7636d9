import { http, type Hex } from 'viem';
import { createBundlerClient, createPaymasterClient, toSimple7702SmartAccount } from 'viem/account-abstraction';
import type { PrivateKeyAccount } from 'viem/accounts';
import { CANONICAL_DELEGATE, readStack } from '@paymaster/devnet';
import { landed } from './support/bundler';
import { chainOf, publicClient } from './support/chain';
import { newKeyAccount } from './support/delegated-account';
import { demoContractAbi, INCREMENT, RESET } from './support/demo-contract';
import { currentFees } from './support/fees';
import type { FreshPaymaster } from './support/fresh-paymaster';
import { PolicyWorld, rules } from './support/policies';

const stack = readStack();
const chain = publicClient(stack);
const { address: demo } = stack.demoContract;
let world: PolicyWorld;
/** Sponsors what accounts do that delegate to Simple7702Account. */
let paymaster: FreshPaymaster;

beforeAll(async () => {
  world = await PolicyWorld.open(stack);
  paymaster = await world.paymasterWith([rules({ eip7702Delegates: [CANONICAL_DELEGATE] })]);
});

const countOf = (account: Hex) =>
  chain.readContract({ abi: demoContractAbi, address: demo, functionName: 'countOf', args: [account] });
const delegateOf = async (account: Hex) => (await chain.getCode({ address: account }))?.replace('0xef0100', '0x');

/** viem's own account and clients, as its documentation writes them. */
async function clientOf(owner: PrivateKeyAccount, { url }: FreshPaymaster) {
  return createBundlerClient({
    account: await toSimple7702SmartAccount({ client: chain, owner }),
    client: chain,
    chain: chainOf(stack),
    transport: http(stack.bundler),
    paymaster: createPaymasterClient({ transport: http(url) }),
    userOperation: {
      async estimateFeesPerGas() {
        const { maxFeePerGas, maxPriorityFeePerGas } = await currentFees(stack);
        return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
      },
    },
  });
}

const authorizationOf = (owner: PrivateKeyAccount) =>
  owner.signAuthorization({ address: CANONICAL_DELEGATE, chainId: stack.chainId, nonce: 0 });

describe("viem's Simple7702 account, with its unmodified paymaster client", () => {
  it('delegates with its first operation, then calls again, all paid by the funding wallet', async () => {
    const owner = newKeyAccount();
    const client = await clientOf(owner, paymaster);
    const calls = [{ to: demo, data: INCREMENT }];

    const first = await client.sendUserOperation({ calls, authorization: await authorizationOf(owner) });
    expect(await landed(stack, first)).toMatchObject({
      ...{ success: true, sender: owner.address, paymaster: stack.paymasters['0.8'] },
    });
    expect(await delegateOf(owner.address)).toBe(CANONICAL_DELEGATE);

    const second = await client.sendUserOperation({ calls: [...calls, ...calls] });
    expect(await landed(stack, second)).toMatchObject({ success: true });
    expect(await countOf(owner.address)).toBe(3n);
    expect(await chain.getBalance({ address: owner.address })).toBe(0n);
  });

  it('shows the developer why it is refused: the call, or the delegate that nobody lists', async () => {
    const strict = await world.paymasterWith([rules({})]);
    const refusalOf = async (at: FreshPaymaster, data: Hex) => {
      const owner = newKeyAccount();
      const client = await clientOf(owner, at);
      const authorization = await authorizationOf(owner);
      return client.sendUserOperation({ calls: [{ to: demo, data }], authorization }).then(() => [], causes);
    };
    const refused = (reason: string) =>
      expect.objectContaining({ code: -32501, data: expect.objectContaining({ reason }) });
    expect(await refusalOf(strict, INCREMENT)).toContainEqual(refused('EIP7702_NOT_SPONSORED'));
    expect(await refusalOf(paymaster, RESET)).toContainEqual(refused('METHOD_NOT_WHITELISTED'));
  });
});

function causes(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
