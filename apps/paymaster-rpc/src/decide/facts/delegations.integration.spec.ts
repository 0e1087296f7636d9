import { FakeRpcError, FakeRpcServer, type LyingProxy } from '@paymaster/chain/testing';
import { CANONICAL_DELEGATE, DEV_KEYS, LOCAL_CHAIN_ID, rpc } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  DEFAULT_PAYMASTER_SETTINGS,
  EIP7702_MARKER,
  type Address,
  type Hex,
  type PaymasterSettings,
} from '@paymaster/domain';
import { randomAddress, rulesPolicyBuilder } from '@paymaster/domain/testing';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  http,
  numberToHex,
  parseAbi,
  parseEventLogs,
  type SignedAuthorization,
} from 'viem';
import { entryPoint07Abi, getUserOperationHash, toPackedUserOperation } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { startGatewayWorld, type GatewayWorld } from '../../testing/gateway-world';
import {
  call,
  executeCall,
  sponsoredMode,
  wireOperationV06,
  wireOperationV07,
  type RpcAnswer,
} from '../../testing/rpc-call';

const ENTRY_POINT = CANONICAL_ENTRY_POINTS['0.8'];
/** Code that accepts every operation as valid, and answers every other call by writing its first storage slot. */
const HOSTILE_CODE = '0x60003560e01c6319822f7c146015576001600055005b60206000f3';
const NOT_DEPLOYED = 'ACCOUNT_NOT_DEPLOYED';
const NOT_SPONSORED = 'EIP7702_NOT_SPONSORED';
const INVALID = '-32602 INVALID_PARAMS';
const USUAL_PRE_VERIFICATION_GAS = '50000';
/** Above what is sponsored without an authorization, whose gas is in it. */
const WITH_AUTHORIZATION = '75000';
const demoAbi = parseAbi(['function countOf(address account) view returns (uint256)']);
const eventAbi = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

let world: GatewayWorld;
let node: LyingProxy;
let bundler: FakeRpcServer;
/** Makes a paymaster that sponsors calls of Simple7702Account. */
let listing: { apiKey: string };
/** A contract that validates on v0.7 too; Simple7702Account does so on v0.8 only. */
let obliging: Address;

beforeAll(async () => {
  bundler = await FakeRpcServer.start();
  bundler.methods['eth_estimateUserOperationGas'] = () => ({
    ...{ callGasLimit: '0x186a0', verificationGasLimit: '0x249f0', preVerificationGas: '0x11170' },
  });
  world = await startGatewayWorld({ bundlerUrl: bundler.url });
  ({ node } = world);
  node.beHonest();
  listing = paymasterWith([CANONICAL_DELEGATE]);
  obliging = await contractWith(HOSTILE_CODE);
});
afterEach(() => node.beHonest());
afterAll(async () => {
  await world?.stop();
  await bundler?.stop();
});

/** @param delegates in its policy; null: its policy has no list of delegates */
function paymasterWith(delegates: readonly Address[] | null, settings: Partial<PaymasterSettings> = {}) {
  return world.newPaymaster({
    policies: [rulesPolicyBuilder({ eip7702Delegates: delegates }).build()],
    settings: { ...DEFAULT_PAYMASTER_SETTINGS, ...settings },
  });
}

const chain = () =>
  defineChain({
    ...{ id: LOCAL_CHAIN_ID, name: 'local', rpcUrls: { default: { http: [world.anvil.url] } } },
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  });
const reader = () => createPublicClient({ chain: chain(), transport: http(), pollingInterval: 100 });
const newOwner = () => privateKeyToAccount(generatePrivateKey());
const increment = () => executeCall({ to: world.demo.address, data: world.demo.callData });
const reads = () => node.calls.get('eth_getCode') ?? 0;

/** As viem writes it. */
async function authorize(
  owner: PrivateKeyAccount,
  changes: { address?: Hex; chainId?: number; nonce?: number } = {},
): Promise<{ wire: Record<string, string>; signed: SignedAuthorization }> {
  const address = changes.address ?? CANONICAL_DELEGATE;
  const signed = await owner.signAuthorization({ chainId: LOCAL_CHAIN_ID, nonce: 0, ...changes, address });
  const { chainId, nonce, r, s, yParity = 0 } = signed;
  const numbers = { chainId: numberToHex(chainId), nonce: numberToHex(nonce), yParity: numberToHex(yParity) };
  return { signed: signed as SignedAuthorization, wire: { address, ...numbers, r, s } };
}

/** Sets the account's delegation directly, as a transaction with an authorization would. */
async function delegateOnChain(owner: PrivateKeyAccount, delegate: Address): Promise<void> {
  await rpc(world.anvil.url, 'anvil_setCode', [owner.address, `0xef0100${delegate.slice(2)}`]);
}

async function contractWith(code: Hex): Promise<Address> {
  const address = randomAddress();
  await rpc(world.anvil.url, 'anvil_setCode', [address, code]);
  return address;
}

/** Whether {@link HOSTILE_CODE} has made calls as the account. */
const ranSomething = async (account: { address: Hex }): Promise<boolean> =>
  BigInt((await reader().getStorageAt({ address: account.address, slot: '0x0' })) ?? 0) !== 0n;

const draft = (owner: { address: Hex }, changes: object = {}) => {
  const isNew = 'eip7702Auth' in changes || 'authorization' in changes;
  const preVerificationGas = isNew ? WITH_AUTHORIZATION : USUAL_PRE_VERIFICATION_GAS;
  return wireOperationV07(increment(), { sender: owner.address, nonce: '0x0', preVerificationGas, ...changes });
};
const MARKED = { factory: '0x7702', factoryData: '0x' };

function ask(
  { apiKey }: { apiKey: string },
  operation: object,
  mode: object = {},
  version: MarkingVersion = '0.8',
): Promise<RpcAnswer> {
  const params = [operation, CANONICAL_ENTRY_POINTS[version], sponsoredMode(mode)];
  return call(`${world.url}/api/v2/${LOCAL_CHAIN_ID}/${apiKey}`, 'pm_sponsorUserOperation', params);
}

const MARKING_VERSIONS = ['0.7', '0.8', '0.9'] as const;
type MarkingVersion = (typeof MARKING_VERSIONS)[number];

/** `granted`, the reason of a refusal, or code and reason of another error. */
const outcomeOf = ({ json }: RpcAnswer): string => {
  if (json.result) return 'granted';
  const reason = String(json.error?.data['reason']);
  return json.error?.code === -32501 ? reason : `${json.error?.code} ${reason}`;
};
const outcome = async (paymaster: { apiKey: string }, operation: object, mode: object = {}) =>
  outcomeOf(await ask(paymaster, operation, mode));

/** Bundles a sponsored operation, signed by its account, in a transaction that carries the authorization. */
async function land(
  owner: PrivateKeyAccount,
  {
    operation,
    answer,
    carried,
    version = '0.8',
  }: {
    operation: Record<string, unknown>;
    answer: RpcAnswer;
    carried?: SignedAuthorization;
    version?: MarkingVersion;
  },
) {
  const { preVerificationGas, verificationGasLimit, callGasLimit, ...data } = answer.json.result as never as Record<
    string,
    Hex
  >;
  const typed = {
    ...{ sender: owner.address, callData: operation['callData'] as Hex, nonce: BigInt(operation['nonce'] as string) },
    ...(operation['factory'] ? { factory: operation['factory'] as Hex, factoryData: '0x' as Hex } : {}),
    ...{ paymaster: data['paymaster'], paymasterData: data['paymasterData'] },
    ...(data['paymasterSignature'] && { paymasterSignature: data['paymasterSignature'] }),
    paymasterVerificationGasLimit: BigInt(data['paymasterVerificationGasLimit'] ?? 0),
    paymasterPostOpGasLimit: BigInt(data['paymasterPostOpGasLimit'] ?? 0),
    preVerificationGas: BigInt(preVerificationGas ?? 0),
    ...{ verificationGasLimit: BigInt(verificationGasLimit ?? 0), callGasLimit: BigInt(callGasLimit ?? 0) },
    maxFeePerGas: BigInt(operation['maxFeePerGas'] as string),
    maxPriorityFeePerGas: BigInt(operation['maxPriorityFeePerGas'] as string),
    // viem reads the delegation from here; the EntryPoint reads it from the account's code.
    authorization: carried ?? { address: CANONICAL_DELEGATE },
    signature: '0x' as Hex,
  };
  const hash = getUserOperationHash({
    ...{ chainId: LOCAL_CHAIN_ID, entryPointAddress: CANONICAL_ENTRY_POINTS[version], entryPointVersion: version },
    userOperation: typed as never,
  });
  const signature = await owner.sign({ hash });
  const bundlerAccount = privateKeyToAccount(DEV_KEYS.owner.privateKey);
  const wallet = createWalletClient({ account: bundlerAccount, chain: chain(), transport: http() });
  const transaction = await wallet.sendTransaction({
    to: CANONICAL_ENTRY_POINTS[version],
    data: encodeFunctionData({
      // The same function on v0.8.
      ...{ abi: entryPoint07Abi, functionName: 'handleOps' },
      args: [[toPackedUserOperation({ ...typed, signature } as never)], bundlerAccount.address],
    }),
    gas: 2_000_000n,
    ...(carried && { authorizationList: [carried] }),
  });
  // The chain would mine it by itself within a second.
  await rpc(world.anvil.url, 'evm_mine', []);
  const receipt = await reader().waitForTransactionReceipt({ hash: transaction });
  const [event] = parseEventLogs({ abi: eventAbi, logs: receipt.logs });
  return receipt.status === 'success' ? event?.args : undefined;
}

const countOf = (account: Hex) =>
  reader().readContract({ address: world.demo.address, abi: demoAbi, functionName: 'countOf', args: [account] });

describe('an operation that delegates its account to a listed contract', () => {
  it.each(['0x7702', EIP7702_MARKER])('lands with its authorization, marked by %s', async (factory) => {
    const owner = newOwner();
    const { wire, signed } = await authorize(owner);
    const operation = draft(owner, { ...MARKED, factory, eip7702Auth: wire });
    const answer = await ask(listing, operation);
    expect(outcomeOf(answer)).toBe('granted');
    const event = await land(owner, { operation, answer, carried: signed });
    expect(event).toMatchObject({ success: true, sender: owner.address });
    expect(await countOf(owner.address)).toBe(1n);
  });

  it('lands with one for every chain, and as `authorization`', async () => {
    const owner = newOwner();
    const { wire, signed } = await authorize(owner, { chainId: 0 });
    const operation = draft(owner, { ...MARKED, authorization: wire });
    const answer = await ask(listing, operation);
    expect(await land(owner, { operation, answer, carried: signed })).toMatchObject({ success: true });
  });

  it.each(MARKING_VERSIONS)(
    'lands on v%s without the marker, and not where the authorization is left out',
    async (version) => {
      const paymaster = paymasterWith([obliging], { allowUnknownFactories: true });
      const [owner, leftOut, replaced] = [newOwner(), newOwner(), newOwner()];
      const hostile = await contractWith(HOSTILE_CODE);
      const attempts = [
        { of: owner, carried: (await authorize(owner, { address: obliging })).signed, event: { success: true } },
        { of: leftOut, carried: undefined, event: undefined },
        { of: replaced, carried: (await authorize(replaced, { address: hostile })).signed, event: undefined },
      ];
      for (const { of, carried, event } of attempts) {
        const { wire: eip7702Auth } = await authorize(of, { address: obliging });
        const operation = draft(of, { eip7702Auth });
        const answer = await ask(paymaster, operation, {}, version);
        expect(outcomeOf(answer)).toBe('granted');
        const landed = await land(of, { operation, answer, version, ...(carried && { carried }) });
        expect(landed?.success).toBe(event?.success);
        expect(await ranSomething(of)).toBe(event !== undefined);
      }
    },
  );

  it('with a nonce that is not the next one does not land, for the authorization does not come into force', async () => {
    const owner = newOwner();
    const { wire: eip7702Auth, signed: carried } = await authorize(owner, { nonce: 1 });
    const operation = draft(owner, { ...MARKED, eip7702Auth });
    const before = reads();
    const answer = await ask(listing, operation);
    expect(outcomeOf(answer)).toBe('granted');
    // Whether the authorization's gas has to be paid.
    expect(reads()).toBe(before + 1);
    expect(await land(owner, { operation, answer, carried })).toBeUndefined();
  });

  it('does not land in a transaction that delegates to another contract: the signature is bound to the delegate', async () => {
    const owner = newOwner();
    // The same code at another address.
    const copy = await contractWith((await reader().getCode({ address: CANONICAL_DELEGATE })) ?? '0x');
    const [{ wire }, other] = [await authorize(owner), await authorize(owner, { address: copy })];
    const operation = draft(owner, { ...MARKED, eip7702Auth: wire });
    const answer = await ask(listing, operation);
    expect(outcomeOf(answer)).toBe('granted');
    expect(await land(owner, { operation, answer, carried: other.signed })).toBeUndefined();

    // When it is signed for the copy, it lands.
    const another = newOwner();
    const { wire: forCopy, signed } = await authorize(another, { address: copy });
    const copied = draft(another, { ...MARKED, eip7702Auth: forCopy });
    const listingCopy = paymasterWith([copy], { allowUnknownFactories: true });
    const answerToCopy = await ask(listingCopy, copied);
    expect(await land(another, { operation: copied, answer: answerToCopy, carried: signed })).toMatchObject({
      success: true,
    });
  });

  it('is refused where no policy lists the delegate, without a question to the chain', async () => {
    const operation = async (owner = newOwner()) =>
      draft(owner, { ...MARKED, eip7702Auth: (await authorize(owner)).wire });
    const before = reads();
    expect(await outcome(world.newPaymaster(), await operation())).toBe(NOT_SPONSORED);
    expect(await outcome(paymasterWith(null), await operation())).toBe(NOT_SPONSORED);
    expect(await outcome(paymasterWith([]), await operation())).toBe(NOT_SPONSORED);
    expect(await outcome(paymasterWith([randomAddress()]), await operation())).toBe(NOT_SPONSORED);
    expect(reads()).toBe(before);
  });

  it('is held to the whitelist, and to the functions that the delegate has', async () => {
    const owner = newOwner();
    const eip7702Auth = (await authorize(owner)).wire;
    const elsewhere = executeCall({ to: randomAddress(), data: world.demo.callData });
    const marked = { ...MARKED, eip7702Auth };
    expect(await outcome(listing, draft(owner, { ...marked, callData: elsewhere }))).toBe('CONTRACT_NOT_REGISTERED');
    const batchOfV07 = encodeFunctionData({
      abi: parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)']),
      args: [[world.demo.address], [0n], [world.demo.callData]],
    });
    expect(await outcome(listing, draft(owner, { ...marked, callData: batchOfV07 }))).toBe('CALL_DATA_NOT_UNDERSTOOD');
  });

  it('is refused if the listed delegate is not known, unless the paymaster allows that', async () => {
    const own = randomAddress();
    const owner = newOwner();
    const operation = draft(owner, { ...MARKED, eip7702Auth: (await authorize(owner, { address: own })).wire });
    expect(await outcome(paymasterWith([own]), operation)).toBe('CALL_DATA_NOT_UNDERSTOOD');
    expect(await outcome(paymasterWith([own], { allowUnknownFactories: true }), operation)).toBe('granted');
    const strict = paymasterWith([own], { allowUnknownFactories: true, requireKnownAccounts: true });
    expect(await outcome(strict, operation)).toBe('UNKNOWN_ACCOUNT_IMPLEMENTATION');
  });

  it('gets gas for an authorization only if it has one, and needs it', async () => {
    const [owner, delegated] = [newOwner(), newOwner()];
    await delegateOnChain(delegated, CANONICAL_DELEGATE);
    const preVerificationGas = WITH_AUTHORIZATION;
    expect(await outcome(listing, draft(delegated, { preVerificationGas }))).toBe('PRE_VERIFICATION_GAS_TOO_HIGH');
    expect(await outcome(listing, draft(owner, { eip7702Auth: (await authorize(owner)).wire }))).toBe('granted');
    const needless = { eip7702Auth: (await authorize(delegated)).wire };
    expect(await outcome(listing, draft(delegated, needless))).toBe('PRE_VERIFICATION_GAS_TOO_HIGH');
    const modest = draft(delegated, { ...needless, preVerificationGas: USUAL_PRE_VERIFICATION_GAS });
    const answer = await ask(listing, modest);
    expect(await land(delegated, { operation: modest, answer })).toMatchObject({ success: true });
  });

  it('is estimated with the authorization, its gas in preVerificationGas', async () => {
    const owner = newOwner();
    const eip7702Auth = (await authorize(owner)).wire;
    const none = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' };
    bundler.calls.length = 0;
    const operation = draft(owner, { ...MARKED, ...none, eip7702Auth });
    expect(await outcome(listing, operation, { calculateGasLimits: true })).toBe('granted');
    // The gateway also asks the bundler for its prices, at any time.
    const estimate = bundler.calls.find(({ method }) => method === 'eth_estimateUserOperationGas');
    const [asked] = estimate?.params as [Record<string, unknown>];
    expect(asked).toMatchObject({ factory: '0x7702', factoryData: '0x', eip7702Auth });
  });
});

describe('an authorization is refused', () => {
  it.each([
    ['to another delegate than the listed one', { address: randomAddress() }, NOT_SPONSORED],
    ['of another chain', { chainId: 1 }, INVALID],
  ])('%s', async (_title, changes, expected) => {
    const owner = newOwner();
    const operation = draft(owner, { ...MARKED, eip7702Auth: (await authorize(owner, changes)).wire });
    expect(await outcome(listing, operation)).toBe(expected);
  });

  it('signed by somebody else; in a stub it may be a placeholder, as viem sends it', async () => {
    const foreign = draft(newOwner(), { ...MARKED, eip7702Auth: (await authorize(newOwner())).wire });
    const answer = await ask(listing, foreign);
    expect(outcomeOf(answer)).toBe(INVALID);
    expect(answer.json.error?.data).toMatchObject({ field: 'params[0].eip7702Auth' });
    const stub = (operation: object) =>
      call(`${world.url}/api/v2/${LOCAL_CHAIN_ID}/${listing.apiKey}`, 'pm_getPaymasterStubData', [
        ...[operation, ENTRY_POINT, numberToHex(LOCAL_CHAIN_ID), null],
      ]);
    expect(outcomeOf(await stub(foreign))).toBe('granted');
  });

  it('that changes a listed delegate for another one', async () => {
    const owner = newOwner();
    await delegateOnChain(owner, CANONICAL_DELEGATE);
    const eip7702Auth = (await authorize(owner, { address: randomAddress() })).wire;
    expect(await outcome(listing, draft(owner, { ...MARKED, eip7702Auth }))).toBe(NOT_SPONSORED);
    expect(await outcome(listing, draft(owner, { eip7702Auth }))).toBe(NOT_SPONSORED);
  });
});

describe('an account that delegates already', () => {
  it('gets a signature for no delegate if no policy lists a delegate, and does not land', async () => {
    const owner = newOwner();
    await delegateOnChain(owner, CANONICAL_DELEGATE);
    const listsNone = [world.newPaymaster(), paymasterWith(null), paymasterWith([])];
    const before = reads();
    for (const paymaster of listsNone) {
      const operation = draft(owner);
      const answer = await ask(paymaster, operation);
      expect(outcomeOf(answer)).toBe('granted');
      expect(await land(owner, { operation, answer })).toBeUndefined();
    }
    expect(reads()).toBe(before);
    // The code was read for another paymaster, so the account is known now and refused clearly.
    expect(await outcome(listing, draft(owner))).toBe('granted');
    for (const paymaster of listsNone) expect(await outcome(paymaster, draft(owner))).toBe(NOT_SPONSORED);
  });

  it.each(['0.6', ...MARKING_VERSIONS] as const)(
    'is sponsored on v%s where a policy lists its delegate',
    async (version) => {
      const [owner, other] = [newOwner(), newOwner()];
      await delegateOnChain(owner, obliging);
      await delegateOnChain(other, await contractWith(HOSTILE_CODE));
      const paymaster = paymasterWith([obliging], { allowUnknownFactories: true });
      const url = `${world.url}/api/v2/${LOCAL_CHAIN_ID}/${paymaster.apiKey}`;
      const asked = async ({ address: sender }: PrivateKeyAccount) =>
        version === '0.6'
          ? call(url, 'pm_sponsorUserOperation', [wireOperationV06(increment(), { sender }), sponsoredMode()])
          : ask(paymaster, draft({ address: sender }), {}, version);
      const answer = await asked(owner);
      expect(outcomeOf(answer)).toBe('granted');
      expect(outcomeOf(await asked(other))).toBe(NOT_SPONSORED);
      if (version === '0.6') return;
      expect(await land(owner, { operation: draft(owner), answer, version })).toMatchObject({ success: true });
    },
  );

  it('is sponsored with the marker, whatever it ran a moment ago', async () => {
    const owner = newOwner();
    const operation = draft(owner, MARKED);
    expect(await outcome(listing, operation)).toBe(NOT_SPONSORED);
    await delegateOnChain(owner, CANONICAL_DELEGATE);
    const answer = await ask(listing, operation);
    expect(await land(owner, { operation, answer })).toMatchObject({ success: true });
    await delegateOnChain(owner, randomAddress());
    expect(await outcome(listing, operation)).toBe(NOT_SPONSORED);
  });

  it('is sponsored without naming the delegation, as viem sends it, and refused if it has another delegate', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    await delegateOnChain(owner, CANONICAL_DELEGATE);
    await delegateOnChain(other, randomAddress());
    const operation = draft(owner);
    const answer = await ask(listing, operation);
    expect(await land(owner, { operation, answer })).toMatchObject({ success: true });
    expect(await outcome(listing, draft(other))).toBe(NOT_SPONSORED);
    expect(await outcome(paymasterWith([]), draft(owner))).toBe(NOT_SPONSORED);
  });

  it('is refused with anything behind the marker', async () => {
    const owner = newOwner();
    await delegateOnChain(owner, CANONICAL_DELEGATE);
    const operation = draft(owner, { ...MARKED, factoryData: '0x00' });
    expect(await outcome(listing, operation)).toBe('UNKNOWN_ACCOUNT_SETUP');
  });

  it('is known by its delegate where known accounts are required', async () => {
    const owner = newOwner();
    await delegateOnChain(owner, CANONICAL_DELEGATE);
    const required = { requireKnownAccounts: true };
    expect(await outcome(paymasterWith([CANONICAL_DELEGATE], required), draft(owner))).toBe('granted');
    expect(await outcome(paymasterWith(null, required), draft(owner))).toBe(NOT_SPONSORED);
  });
});

describe('an account without code', () => {
  const explain = (paymaster: { apiKey: string }, operation: object) =>
    call(`${world.url}/api/v2/${LOCAL_CHAIN_ID}/${paymaster.apiKey}`, 'pm_explain', [operation, sponsoredMode()]);

  it('is refused where its code is read, in a stub and in an explanation too, and granted as soon as it has some', async () => {
    const owner = newOwner();
    const lists = paymasterWith([CANONICAL_DELEGATE], { explainToClients: true });
    const url = `${world.url}/api/v2/${LOCAL_CHAIN_ID}/${lists.apiKey}`;
    const operation = draft(owner);
    const stubParams = [operation, ENTRY_POINT, numberToHex(LOCAL_CHAIN_ID), null];
    const old = wireOperationV06(increment(), { sender: owner.address });
    expect(outcomeOf(await call(url, 'pm_getPaymasterStubData', stubParams))).toBe(NOT_DEPLOYED);
    expect((await explain(lists, operation)).json.result).toMatchObject({ sponsored: false, reason: NOT_DEPLOYED });
    expect(outcomeOf(await call(url, 'pm_sponsorUserOperation', [old, sponsoredMode()]))).toBe(NOT_DEPLOYED);
    await rpc(world.anvil.url, 'anvil_setCode', [owner.address, HOSTILE_CODE]);
    expect(outcomeOf(await call(url, 'pm_getPaymasterStubData', stubParams))).toBe('granted');
    expect(outcomeOf(await call(url, 'pm_sponsorUserOperation', [old, sponsoredMode()]))).toBe('granted');
  });

  it('is refused where known accounts are required, and known as soon as it is', async () => {
    const owner = newOwner();
    const strict = paymasterWith([CANONICAL_DELEGATE], { requireKnownAccounts: true });
    expect(await outcome(strict, draft(owner))).toBe(NOT_DEPLOYED);
    await delegateOnChain(owner, CANONICAL_DELEGATE);
    expect(await outcome(strict, draft(owner))).toBe('granted');
  });

  it('is told to ask again while its code has to be read and the chain cannot be asked', async () => {
    node.lie({
      eth_getCode: () => {
        throw new FakeRpcError(-32000, 'no');
      },
    });
    expect(await outcome(listing, draft(newOwner()))).toBe('-32011 DEPENDENCY_UNAVAILABLE');
    expect(await outcome(world.newPaymaster(), draft(newOwner()))).toBe('granted');
  });

  const settings: readonly [string, () => { apiKey: string }, string][] = [
    ['no deployments', () => paymasterWith(null, { sponsorDeployments: 'never' }), 'granted'],
    ['no policy on delegates', () => world.newPaymaster(), 'granted'],
    ['an empty list of delegates', () => paymasterWith([]), 'granted'],
    ['a list of another delegate', () => listing, NOT_DEPLOYED],
  ];
  const cases = MARKING_VERSIONS.flatMap((version) =>
    settings.map(([title, paymaster, expected]) => [version, title, paymaster, expected] as const),
  );

  it.each(cases)(
    'gets no signature with which hostile code lands, on v%s with %s',
    async (version, _title, paymaster, expected) => {
      const owner = newOwner();
      const hostile = await contractWith(HOSTILE_CODE);
      const { signed: carried } = await authorize(owner, { address: hostile });
      const operation = draft(owner);
      const answer = await ask(paymaster(), operation, {}, version);
      const landed = answer.json.result && (await land(owner, { operation, answer, carried, version }));
      expect({ outcome: outcomeOf(answer), landed, ran: await ranSomething(owner) }).toEqual({
        ...{ outcome: expected, landed: undefined, ran: false },
      });
    },
  );
});

describe('an account with code of its own', () => {
  it('costs one read if a policy lists delegates, and none otherwise', async () => {
    const [plain, none] = [world.newPaymaster(), paymasterWith([])];
    const owner = newOwner();
    await rpc(world.anvil.url, 'anvil_setCode', [owner.address, HOSTILE_CODE]);
    const before = reads();
    const costs: number[] = [];
    for (const [nonce, paymaster] of [plain, none, listing, listing, plain].entries()) {
      expect(await outcome(paymaster, draft(owner, { nonce: numberToHex(nonce) }))).toBe('granted');
      costs.push(reads() - before);
    }
    expect(costs).toEqual([0, 0, 1, 1, 1]);
  });

  it('is refused for what its operation does without a read of the chain', async () => {
    const before = reads();
    const policies = [rulesPolicyBuilder({ eip7702Delegates: [CANONICAL_DELEGATE] }).build()];
    expect(await outcome(world.newPaymaster({ contracts: [], policies }), draft(newOwner()))).toBe('NO_POLICIES_SET');
    expect(reads()).toBe(before);
  });
});
