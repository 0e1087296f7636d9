import { decodeFunctionData, encodeFunctionData, formatGwei, http, type Hex } from 'viem';
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint08Abi,
  type PackedUserOperation,
} from 'viem/account-abstraction';
import { readStack } from '@paymaster/devnet';
import { landed, submit } from './support/bundler';
import { chainOf, publicClient, richWallet, walletOf } from './support/chain';
import { execute } from './support/call-data';
import { demoContractAbi, INCREMENT } from './support/demo-contract';
import { eventually, PATIENCE_MS } from './support/eventually';
import { freshPaymaster, gatewayUrl, type FreshPaymaster } from './support/fresh-paymaster';
import { refusalByEntryPoint } from './support/handle-ops';
import { call, resultOf } from './support/json-rpc';
import { operationsOf } from './support/operations';
import { draftOperation, newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { AS_SENT, LIMITS, sponsored } from './support/sponsor';
import { viemAccount } from './support/viem-account';
import { signOperation, type WireOperation } from './support/wire-operation';

const stack = readStack();
const chain = publicClient(stack);
const { address: demo } = stack.demoContract;
const version = '0.9';
/** The magic that rundler's form has behind the data, and all of it that abstractionkit's has. */
const MAGIC = '22e325a297439656';

let paymaster: FreshPaymaster;
let url: string;
beforeAll(async () => {
  paymaster = await freshPaymaster(stack, { settings: { signWhenSent: true } });
  url = gatewayUrl(stack, paymaster.apiKey, 'v1');
});

const countOf = (account: Hex) =>
  chain.readContract({ abi: demoContractAbi, address: demo, functionName: 'countOf', args: [account] });

/** An operation with all that its client has before it sends it: the account's signature, and a placeholder. */
async function readyToSend(account: SimpleAccount): Promise<WireOperation> {
  const callData = execute({ to: demo, data: INCREMENT });
  const draft = { ...(await draftOperation(stack, account, { callData })), ...LIMITS, signature: '0x' as Hex };
  const entryPoint = stack.entryPoints[version];
  const promised = await sponsored({ url, operation: draft, mode: AS_SENT, entryPoint });
  return signOperation(promised, { stack, version, owner: account.owner });
}
const send = (operation: object) =>
  call({ url, method: 'eth_sendUserOperation', params: [operation, stack.entryPoints[version]] });

describe('a sponsorship of EntryPoint v0.9 that is signed when it is sent', () => {
  it('lands with viem at one URL: first, second and third operation, and a batch', async () => {
    const account = await newSimpleAccount(stack, version);
    const client = createBundlerClient({
      account: await viemAccount(stack, account),
      client: chain,
      chain: chainOf(stack),
      transport: http(url),
      paymaster: createPaymasterClient({ transport: http(url) }),
    });
    const one = { to: demo, data: INCREMENT };
    for (const calls of [[one], [one], [one], [one, one]]) {
      const hash = await client.sendUserOperation({ calls });
      const { success } = await client.waitForUserOperationReceipt({ hash });
      expect(success).toBe(true);
    }
    expect(await countOf(account.address)).toBe(5n);
    expect(await chain.getBalance({ address: account.address })).toBe(0n);
  });

  it('gives a self-bundler nothing to land before it is sent', async () => {
    const operation = await readyToSend(await newSimpleAccount(stack, version));
    expect(await refusalByEntryPoint(stack, version, operation)).toMatch(/^AA34/);
    const elsewhere = await submit(stack, version, operation);
    expect(elsewhere.body.error?.message).toContain('AA34');
    const hash = resultOf<Hex>(await send(operation));
    expect(await landed(stack, hash)).toMatchObject({ success: true, paymaster: stack.paymasters[version] });
  });

  it.each([
    ['viem’s form', (operation: WireOperation) => operation],
    [
      'the magic behind the data',
      ({ paymasterData, ...operation }: WireOperation) => ({ ...operation, paymasterData: `${paymasterData}${MAGIC}` }),
    ],
    [
      'all of it in the data',
      ({ paymasterData, paymasterSignature, ...operation }: WireOperation) => ({
        ...operation,
        paymasterData: `${paymasterData}${paymasterSignature!.slice(2)}0041${MAGIC}`,
      }),
    ],
  ])('is taken in %s', async (_form, inForm) => {
    const operation = await readyToSend(await newSimpleAccount(stack, version));
    const hash = resultOf<Hex>(await send(inForm(operation)));
    expect(await landed(stack, hash)).toMatchObject({ success: true });
  });

  it('brings a front-runner who copies it from the mempool less than a quarter of what the wallet is billed', async () => {
    const thief = await richWallet(stack);
    const account = await newSimpleAccount(stack, version);
    const entryPoint = stack.entryPoints[version];
    const operation = await readyToSend(account);
    const hash = resultOf<Hex>(await send(operation));
    // He sees the bundler's transaction before it is in a block, sends the same call, and pays more.
    const seen = await eventually(30_000, async () => {
      const { transactions } = await chain.getBlock({ blockTag: 'pending', includeTransactions: true });
      const bundle = transactions.find(({ input }) => input.includes(account.address.slice(2).toLowerCase()));
      expect(bundle).toBeDefined();
      return bundle!;
    });
    const { args } = decodeFunctionData({ abi: entryPoint08Abi, data: seen.input });
    const [operations] = args as readonly [readonly PackedUserOperation[], Hex];
    const own = encodeFunctionData({
      abi: entryPoint08Abi,
      functionName: 'handleOps',
      args: [operations, thief.address],
    });
    const tipWei = 2n * (seen.maxPriorityFeePerGas ?? seen.gasPrice ?? 0n);
    const fees = { maxPriorityFeePerGas: tipWei, maxFeePerGas: 2n * (seen.maxFeePerGas ?? 0n) + tipWei };
    const sent = await walletOf(stack, thief).sendTransaction({ to: entryPoint, data: own, gas: 3_000_000n, ...fees });
    const receipt = await chain.waitForTransactionReceipt({ hash: sent });
    const { actualGasCostWei, success } = await landed(stack, hash);
    const paidWei = receipt.gasUsed * receipt.effectiveGasPrice;
    const isFirst = receipt.status === 'success';
    const gainWei = (isFirst ? actualGasCostWei : 0n) - paidWei;
    process.stdout.write(
      `front-runner ${isFirst ? 'was first' : 'was late'}: ${formatGwei(gainWei)} gwei gained, wallet billed ${formatGwei(actualGasCostWei)} gwei\n`,
    );
    expect(success).toBe(true);
    // What a bundler gains by landing it is bounded for every operation (docs/threats.md); he pays a higher tip for it.
    expect(gainWei).toBeLessThan(actualGasCostWei / 4n);
  });

  it('is refused when its account has not signed it, and holds nothing then', async () => {
    const account = await newSimpleAccount(stack, version);
    const operation = await readyToSend(account);
    const stranger = await newSimpleAccount(stack, version);
    const { signature } = await signOperation(operation, { stack, version, owner: stranger.owner });
    const answer = await send({ ...operation, signature });
    expect(answer.body.error?.message).toContain('AA24');
    // The owner hears of what is held, in order: of the later operation, and of nothing for this one.
    const later = await readyToSend(stranger);
    resultOf<Hex>(await send(later));
    await eventually(PATIENCE_MS, async () =>
      expect(await operationsOf(stack, paymaster, { sender: stranger.address })).toHaveLength(1),
    );
    expect(await operationsOf(stack, paymaster, { sender: account.address })).toEqual([]);
  });
});
