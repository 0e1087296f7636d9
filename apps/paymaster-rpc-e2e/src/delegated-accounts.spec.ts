import { createSmartAccountClient } from 'permissionless';
import { to7702SimpleSmartAccount } from 'permissionless/accounts';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
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
import { paymentIn } from './support/token-payment';
import { approveCall, giveTokens, tokenBalanceOf, tokenOf, type Token } from './support/tokens';

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

/** What both clients are told; everything else is their own default. */
const settingsOf = ({ url }: FreshPaymaster, token?: Token) => ({
  client: chain,
  chain: chainOf(stack),
  ...(token && { paymasterContext: { token: token.address } }),
  userOperation: {
    async estimateFeesPerGas() {
      const { maxFeePerGas, maxPriorityFeePerGas } = await currentFees(stack);
      return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
    },
  },
  url: http(url),
});

/** viem's own account and clients, as its documentation writes them: the first operation has the marker. */
async function viemClient(owner: PrivateKeyAccount, paymaster: FreshPaymaster, token?: Token) {
  const { url: transport, ...settings } = settingsOf(paymaster, token);
  return createBundlerClient({
    account: await toSimple7702SmartAccount({ client: chain, owner }),
    transport: http(stack.bundler),
    paymaster: createPaymasterClient({ transport }),
    ...settings,
  });
}

/** permissionless's, as its documentation writes them: no operation has the marker. */
async function permissionlessClient(owner: PrivateKeyAccount, paymaster: FreshPaymaster, token?: Token) {
  const { url: transport, ...settings } = settingsOf(paymaster, token);
  return createSmartAccountClient({
    account: await to7702SimpleSmartAccount({ client: chain, owner }),
    bundlerTransport: http(stack.bundler),
    paymaster: createPimlicoClient({ chain: settings.chain, transport }),
    ...settings,
  });
}

const authorizationOf = (owner: PrivateKeyAccount) =>
  owner.signAuthorization({ address: CANONICAL_DELEGATE, chainId: stack.chainId, nonce: 0 });

describe.each([
  ['viem', viemClient],
  ['permissionless', permissionlessClient],
] as const)('the Simple7702 account of %s, with its unmodified clients', (_name, clientOf) => {
  const increment = { to: demo, data: INCREMENT };

  it('delegates with its first operation, then calls again, all paid by the funding wallet', async () => {
    const owner = newKeyAccount();
    const client = await clientOf(owner, paymaster);

    const first = await client.sendUserOperation({ calls: [increment], authorization: await authorizationOf(owner) });
    expect(await landed(stack, first)).toMatchObject({
      ...{ success: true, sender: owner.address, paymaster: stack.paymasters['0.8'] },
    });
    expect(await delegateOf(owner.address)).toBe(CANONICAL_DELEGATE);

    const second = await client.sendUserOperation({ calls: [increment, increment] });
    expect(await landed(stack, second)).toMatchObject({ success: true });
    expect(await countOf(owner.address)).toBe(3n);
    expect(await chain.getBalance({ address: owner.address })).toBe(0n);
  });

  it('delegates with its first operation and pays in tokens, by approval in the batch and then by what is left of it', async () => {
    const owner = newKeyAccount();
    const token = tokenOf(stack, 'USDx');
    await giveTokens(stack, { token, holders: [owner.address] });
    const client = await clientOf(owner, paymaster, token);
    const approve = approveCall(token, stack.paymasters['0.8'], 100n * 10n ** BigInt(token.decimals));
    const pays = async (userOpHash: Hex) => {
      const event = await landed(stack, userOpHash);
      expect(event).toMatchObject({ success: true, sender: owner.address, paymaster: stack.paymasters['0.8'] });
      return paymentIn(stack, { ...event, token });
    };
    const before = await tokenBalanceOf(stack, token, owner.address);

    const authorization = await authorizationOf(owner);
    const first = await pays(await client.sendUserOperation({ calls: [approve, increment], authorization }));
    const second = await pays(await client.sendUserOperation({ calls: [increment] }));
    expect(await delegateOf(owner.address)).toBe(CANONICAL_DELEGATE);
    expect(await countOf(owner.address)).toBe(2n);
    expect([first.refunded > 0n, second.refunded > 0n]).toEqual([false, true]);
    const charged = first.charged + second.charged;
    expect(before - (await tokenBalanceOf(stack, token, owner.address))).toBe(charged);
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
