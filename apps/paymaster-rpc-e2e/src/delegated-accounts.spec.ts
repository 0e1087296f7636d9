import { createSmartAccountClient } from 'permissionless';
import { to7702KernelSmartAccount, to7702SimpleSmartAccount } from 'permissionless/accounts';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { http, type Hex } from 'viem';
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint07Abi,
  toSimple7702SmartAccount,
} from 'viem/account-abstraction';
import type { PrivateKeyAccount } from 'viem/accounts';
import { CANONICAL_DELEGATE, readStack, rpc } from '@paymaster/devnet';
import { randomAddress } from '@paymaster/domain/testing';
import { landed } from './support/bundler';
import { chainOf, publicClient, richWallet, transact } from './support/chain';
import { delegatedAccount, newKeyAccount } from './support/delegated-account';
import { demoContractAbi, INCREMENT, RESET } from './support/demo-contract';
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

const authorizationOf = (owner: PrivateKeyAccount, address: Hex = CANONICAL_DELEGATE, nonce = 0) =>
  owner.signAuthorization({ address, chainId: stack.chainId, nonce });

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

  it('shows the developer why it is refused: the call, the delegate that nobody lists, the missing authorization', async () => {
    const strict = await world.paymasterWith([rules({})]);
    const refusalOf = async (at: FreshPaymaster, data: Hex, isAuthorized = true) => {
      const owner = newKeyAccount();
      const client = await clientOf(owner, at);
      const authorized = isAuthorized && { authorization: await authorizationOf(owner) };
      return client.sendUserOperation({ calls: [{ to: demo, data }], ...authorized }).then(() => [], causes);
    };
    const refused = (reason: string) =>
      expect.objectContaining({ code: -32501, data: expect.objectContaining({ reason }) });
    expect(await refusalOf(strict, INCREMENT)).toContainEqual(refused('EIP7702_NOT_SPONSORED'));
    expect(await refusalOf(paymaster, RESET)).toContainEqual(refused('METHOD_NOT_WHITELISTED'));
    // Left out, the client writes a placeholder in its place, which would not land either.
    expect(await refusalOf(paymaster, INCREMENT, false)).toContainEqual(
      expect.objectContaining({ code: -32602, data: expect.objectContaining({ field: 'params[0].eip7702Auth' }) }),
    );
  });
});

describe('on EntryPoint v0.7, which has no marker', () => {
  const entryPoint = { abi: entryPoint07Abi, address: stack.entryPoints['0.7'], version: '0.7' } as const;
  const increment = { to: demo, data: INCREMENT };
  /** Takes every operation for valid, and counts its calls in its first slot: nobody publishes Kernel's code. */
  const COUNTING_CODE = '0x60003560e01c6319822f7c14601957600160005401600055005b60206000f3';
  let counting: FreshPaymaster;
  const delegate = randomAddress();

  const callsOf = async ({ address }: PrivateKeyAccount) =>
    Number((await chain.getStorageAt({ address, slot: '0x0' })) ?? 0);

  beforeAll(async () => {
    await rpc(stack.chainRpc, 'anvil_setCode', [delegate, COUNTING_CODE]);
    counting = await world.paymasterWith([rules({ eip7702Delegates: [delegate] })], {
      settings: { allowUnknownFactories: true },
    });
  });

  async function kernelClient(owner: PrivateKeyAccount, token?: Token) {
    const { url: transport, ...settings } = settingsOf(counting, token);
    return createSmartAccountClient({
      account: await to7702KernelSmartAccount({ client: chain, owner, entryPoint, accountLogicAddress: delegate }),
      bundlerTransport: http(stack.bundler),
      paymaster: createPimlicoClient({ chain: settings.chain, transport }),
      ...settings,
    });
  }

  it("permissionless's Kernel account delegates with its first operation, then calls again", async () => {
    const owner = newKeyAccount();
    const client = await kernelClient(owner);
    const authorization = await authorizationOf(owner, delegate);
    const sent = [
      await client.sendUserOperation({ calls: [increment], authorization }).then((hash) => landed(stack, hash)),
      await client.sendUserOperation({ calls: [increment] }).then((hash) => landed(stack, hash)),
    ];
    const asExpected = { success: true, sender: owner.address, paymaster: stack.paymasters['0.7'] };
    expect(sent).toMatchObject([asExpected, asExpected]);
    expect(await delegateOf(owner.address)).toBe(delegate);
    expect(await callsOf(owner)).toBe(2);
    expect(await chain.getBalance({ address: owner.address })).toBe(0n);
  });

  it("permissionless's Kernel account pays in tokens by an allowance that its key gave before", async () => {
    const owner = await richWallet(stack);
    const token = tokenOf(stack, 'USDx');
    await giveTokens(stack, { token, holders: [owner.address] });
    const { to, data } = approveCall(token, stack.paymasters['0.7'], 100n * 10n ** BigInt(token.decimals));
    await transact(stack, { from: owner, to, data });
    const [tokens, coins] = [await tokenBalanceOf(stack, token, owner.address), await chain.getBalance(owner)];

    const client = await kernelClient(owner, token);
    const authorization = await authorizationOf(owner, delegate, 1);
    const event = await landed(stack, await client.sendUserOperation({ calls: [increment], authorization }));
    expect(event).toMatchObject({ success: true, sender: owner.address, paymaster: stack.paymasters['0.7'] });
    const { charged, refunded } = await paymentIn(stack, { ...event, token });
    expect([charged > 0n, refunded > 0n]).toEqual([true, true]);
    expect(tokens - (await tokenBalanceOf(stack, token, owner.address))).toBe(charged);
    expect(await callsOf(owner)).toBe(1);
    expect(await chain.getBalance(owner)).toBe(coins);
  });

  it("viem's account writes the marker and is told that v0.7 has none; it lands once it delegates", async () => {
    const clientOf = async (owner: PrivateKeyAccount) => {
      const { url: transport, ...settings } = settingsOf(counting);
      return createBundlerClient({
        account: await toSimple7702SmartAccount({ client: chain, owner, entryPoint, implementation: delegate }),
        transport: http(stack.bundler),
        paymaster: createPaymasterClient({ transport }),
        ...settings,
      });
    };
    const owner = newKeyAccount();
    const client = await clientOf(owner);
    const authorization = await authorizationOf(owner, delegate);
    const refusal = await client.sendUserOperation({ calls: [increment], authorization }).then(() => [], causes);
    expect(refusal).toContainEqual(
      expect.objectContaining({ code: -32602, data: expect.objectContaining({ field: 'params[0].factory' }) }),
    );

    const delegated = await delegatedAccount(stack, delegate);
    const hash = await (await clientOf(delegated)).sendUserOperation({ calls: [increment] });
    expect(await landed(stack, hash)).toMatchObject({ success: true, paymaster: stack.paymasters['0.7'] });
    expect(await callsOf(delegated)).toBe(1);
  });
});

function causes(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
