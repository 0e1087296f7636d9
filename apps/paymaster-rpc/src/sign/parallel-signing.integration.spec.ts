import {
  CANONICAL_ACCOUNT_FACTORIES,
  DEV_KEYS,
  LOCAL_CHAIN_ID,
  rpc,
  simpleAccount,
  type SimpleAccount,
  type Stack,
} from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  http,
  numberToHex,
  parseAbi,
  parseEventLogs,
} from 'viem';
import { entryPoint09Abi, toPackedUserOperation, type UserOperation } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, type RpcAnswer } from '../testing/rpc-call';

const ENTRY_POINT = CANONICAL_ENTRY_POINTS['0.9'];
const FACTORY = 'params[0].factory';
const BUNDLER = privateKeyToAccount(DEV_KEYS.owner.privateKey);
const demoAbi = parseAbi(['function countOf(address account) view returns (uint256)']);

/** The answer of both ERC-7677 methods on v0.9. */
interface PaymasterFields {
  readonly paymaster: Hex;
  readonly paymasterData: Hex;
  readonly paymasterSignature: Hex;
  readonly paymasterVerificationGasLimit: Hex;
  readonly paymasterPostOpGasLimit: Hex;
}

let world: GatewayWorld;
let paymaster: { apiKey: string };

beforeAll(async () => {
  world = await startGatewayWorld();
  world.node.beHonest();
  paymaster = world.newPaymaster();
});
afterEach(() => world.node.beHonest());
afterAll(() => world?.stop());

const chain = () =>
  defineChain({
    ...{ id: LOCAL_CHAIN_ID, name: 'local', rpcUrls: { default: { http: [world.anvil.url] } } },
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  });
const reader = () => createPublicClient({ chain: chain(), transport: http(), pollingInterval: 100 });
const countOf = (account: Hex) =>
  reader().readContract({ address: world.demo.address, abi: demoAbi, functionName: 'countOf', args: [account] });

const newAccount = (): Promise<SimpleAccount> =>
  simpleAccount(
    {
      ...{ chainId: LOCAL_CHAIN_ID, chainRpc: world.anvil.url },
      ...{ entryPoints: CANONICAL_ENTRY_POINTS, accountFactories: CANONICAL_ACCOUNT_FACTORIES },
    } as Stack,
    { version: '0.9' },
  );

/** An operation of a new account that deploys it, with limits and fees. */
async function draft(account: SimpleAccount, nonceKey = 0n): Promise<Record<string, Hex>> {
  const { factory = '0x', factoryData = '0x' } = await account.getFactoryArgs();
  return {
    ...{ sender: account.address, nonce: numberToHex(nonceKey << 64n), factory, factoryData },
    callData: executeCall({ to: world.demo.address, data: world.demo.callData }),
    ...{ callGasLimit: '0x186a0', verificationGasLimit: '0x7a120', preVerificationGas: '0xea60' },
    ...{ maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00', signature: '0x' },
  };
}

const url = () => `${world.url}/api/v2/${LOCAL_CHAIN_ID}/${paymaster.apiKey}`;

function ask(
  method: 'pm_getPaymasterStubData' | 'pm_getPaymasterData',
  operation: object,
  context: object | null = null,
): Promise<RpcAnswer> {
  return call(url(), method, [operation, ENTRY_POINT, numberToHex(LOCAL_CHAIN_ID), context]);
}

async function fieldsOf(asking: Promise<RpcAnswer>): Promise<PaymasterFields> {
  const { json } = await asking;
  if (!json.result) throw new Error(JSON.stringify(json.error));
  return json.result as unknown as PaymasterFields;
}

const refusedField = async (asking: Promise<RpcAnswer>): Promise<unknown> =>
  (await asking).json.error?.data['field'] ?? 'not refused';

const LIMITS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'maxFeePerGas', 'maxPriorityFeePerGas'];
const QUANTITIES = ['nonce', 'paymasterVerificationGasLimit', 'paymasterPostOpGasLimit', ...LIMITS];

const typed = (operation: object): UserOperation<'0.9'> =>
  Object.fromEntries(
    Object.entries(operation).map(([name, value]) => [name, QUANTITIES.includes(name) ? BigInt(value as Hex) : value]),
  ) as unknown as UserOperation<'0.9'>;

const sign = (account: SimpleAccount, operation: object): Promise<Hex> =>
  account.signUserOperation(typed(operation) as never);

const bundleOf = (operations: readonly object[]) =>
  encodeFunctionData({
    ...{ abi: entryPoint09Abi, functionName: 'handleOps' },
    args: [operations.map((operation) => toPackedUserOperation(typed(operation))), BUNDLER.address],
  });

/** The EntryPoint's answer to a simulated bundle: the `AAxx` reason. */
const refusal = (operation: object): Promise<string> =>
  reader()
    .simulateContract({
      ...{ address: ENTRY_POINT, abi: entryPoint09Abi, functionName: 'handleOps', account: BUNDLER },
      args: [[toPackedUserOperation(typed(operation))], BUNDLER.address],
    })
    .then(() => 'lands', reasonOf);

function reasonOf(error: unknown): string {
  const reverted = error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
  return String(reverted.data?.args?.[1]).slice(0, 4);
}

async function land(operations: readonly object[]): Promise<readonly { sender: Hex; success: boolean }[]> {
  const wallet = createWalletClient({ account: BUNDLER, chain: chain(), transport: http() });
  const hash = await wallet.sendTransaction({ to: ENTRY_POINT, data: bundleOf(operations), gas: 5_000_000n });
  const { logs, status } = await reader().waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  return parseEventLogs({ abi: entryPoint09Abi, logs, eventName: 'UserOperationEvent' }).map(({ args }) => args);
}

describe('signing in parallel on EntryPoint v0.9', () => {
  it('lands an operation that the account signed before the paymaster, but not with any changed byte of the signature', async () => {
    const account = await newAccount();
    const operation = await draft(account);
    // Times that no client would choose by itself.
    const shorter = { mode: 'SPONSORED', expiryDuration: 171 };
    const stub = await fieldsOf(ask('pm_getPaymasterStubData', operation, shorter));
    // The account signs the stub's terms and limits; the stub's own signature is of no signer.
    const [signature, final] = await Promise.all([
      sign(account, { ...operation, ...stub }),
      fieldsOf(ask('pm_getPaymasterData', { ...operation, ...stub })),
    ]);
    const { paymasterSignature, ...terms } = stub;
    expect(final).toMatchObject(terms);
    expect(final.paymasterSignature).not.toBe(paymasterSignature);

    const complete = { ...operation, ...final, signature };
    for (let at = 0; at < 65; at++) {
      const bytes = Buffer.from(final.paymasterSignature.slice(2), 'hex');
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      const flipped = await refusal({ ...complete, paymasterSignature: `0x${bytes.toString('hex')}` });
      // A signature of another form is refused by a revert.
      expect(['AA34', 'AA33']).toContain(flipped);
    }
    expect(await refusal({ ...operation, ...stub, signature })).toBe('AA34');
    expect(await countOf(account.address)).toBe(0n);

    expect(await land([complete])).toMatchObject([{ sender: account.address, success: true }]);
    expect(await countOf(account.address)).toBe(1n);
  });

  it('lands with the signature inside of the data too, for clients that pack it so', async () => {
    const account = await newAccount();
    const operation = await draft(account);
    const { paymasterSignature, paymasterData, ...rest } = await fieldsOf(ask('pm_getPaymasterData', operation));
    const inside = { ...operation, ...rest, paymasterData: `${paymasterData}${paymasterSignature.slice(2)}` };
    const signature = await sign(account, inside);
    expect(await land([{ ...inside, signature }])).toMatchObject([{ success: true }]);
  });

  it('lands with the signature in the data, for clients that sent the stub so', async () => {
    const account = await newAccount();
    const operation = await draft(account);
    const metadata = await call(url(), 'pm_supportedERC20Tokens', [ENTRY_POINT]);
    const { dummyPaymasterAndData } = metadata.json.result?.['paymasterMetadata'] as { dummyPaymasterAndData: object };
    const final = await fieldsOf(ask('pm_getPaymasterData', { ...operation, ...dummyPaymasterAndData }));
    expect(Object.keys(final).sort()).toEqual(Object.keys(dummyPaymasterAndData).sort());
    const complete = { ...operation, ...final };
    expect(await land([{ ...complete, signature: await sign(account, complete) }])).toMatchObject([{ success: true }]);
  });

  it.each<[string, (terms: Hex) => string]>([
    ['that hold longer than is allowed', (terms) => `0x017fffffffffff${terms.slice(16)}`],
    ['that are over', (terms) => `0x01000000000001000000000000${terms.slice(28)}`],
  ])('signs other terms than those %s', async (_title, change) => {
    const account = await newAccount();
    const operation = await draft(account);
    const stub = await fieldsOf(ask('pm_getPaymasterStubData', operation));
    const paymasterData = change(stub.paymasterData);
    const final = await fieldsOf(ask('pm_getPaymasterData', { ...operation, ...stub, paymasterData }));
    expect(final.paymasterData).not.toBe(paymasterData);
    const complete = { ...operation, ...final };
    expect(await land([{ ...complete, signature: await sign(account, complete) }])).toMatchObject([{ success: true }]);
  });

  it("never signs another wallet's terms, whatever the client sends back", async () => {
    const account = await newAccount();
    const operation = await draft(account);
    const stub = await fieldsOf(ask('pm_getPaymasterStubData', operation));
    const [head, fees] = [stub.paymasterData.slice(0, 28), stub.paymasterData.slice(68)];
    const paymasterData = `${head}${randomAddress().slice(2)}${fees}`;
    const final = await fieldsOf(ask('pm_getPaymasterData', { ...operation, ...stub, paymasterData }));
    expect(final.paymasterData).toBe(stub.paymasterData);
  });
});

describe('the factory of an account that EntryPoint v0.9 would not call', () => {
  it('is refused where the account has code', async () => {
    const account = await newAccount();
    const operation = await draft(account);
    const final = await fieldsOf(ask('pm_getPaymasterData', operation));
    const complete = { ...operation, ...final };
    await land([{ ...complete, signature: await sign(account, complete) }]);
    const next = { ...operation, nonce: numberToHex(1n) };
    expect(await refusedField(ask('pm_getPaymasterData', next))).toBe(FACTORY);
    expect(await refusedField(ask('pm_getPaymasterData', { ...next, factory: null, factoryData: null }))).toBe(
      'not refused',
    );
  });

  it("is refused where it deploys another account: anybody's code could be at the sender when it lands", async () => {
    const [account, sender] = [await newAccount(), randomAddress()];
    const operation = { ...(await draft(account)), sender };
    for (const method of ['pm_getPaymasterStubData', 'pm_getPaymasterData'] as const)
      expect(await refusedField(ask(method, operation))).toBe(FACTORY);
    // The times for which the gateway would have signed it.
    await rpc(world.anvil.url, 'anvil_setCode', [sender, '0x60206000f3']);
    expect(await refusedField(ask('pm_getPaymasterData', operation))).toBe(FACTORY);
  });

  it('is skipped where the account was deployed since, and the operation lands and is paid for', async () => {
    const account = await newAccount();
    const operations = await Promise.all([0n, 1n].map((nonceKey) => draft(account, nonceKey)));
    const signed = await Promise.all(
      operations.map(async (operation) => {
        const complete = { ...operation, ...(await fieldsOf(ask('pm_getPaymasterData', operation))) };
        return { ...complete, signature: await sign(account, complete) };
      }),
    );
    expect(await land(signed)).toMatchObject([{ success: true }, { success: true }]);
    expect(await countOf(account.address)).toBe(2n);
  });
});
