import { call } from '../../apps/paymaster-rpc/src/testing/rpc-call';
import type { PaidOperation } from '../../apps/paymaster-rpc/src/testing/token-call';
import { withPaymaster } from '../../apps/paymaster-rpc/proofs/siphon/accounts';
import { encodeHandleOps } from '../../apps/paymaster-rpc/proofs/attacks/testing/bundle';
import { JsonRpcError, rpc } from '@paymaster/devnet';
import {
  CANONICAL_ENTRY_POINTS,
  normalizeAddress,
  type AccountGasLimits,
  type Address,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { concatHex, encodeFunctionData, numberToHex, parseAbi, parseEventLogs, type Log } from 'viem';
import type { SmartAccount } from 'viem/account-abstraction';
import { FAMILIES, type Family } from './accounts';
import type { EstimatesWorld } from './world';

export const TARGETS = parseAbi([
  'function write(uint256 count)',
  'function clear(uint256 count)',
  'function dive(uint256 levels)',
  'function hide(uint256 levels)',
  'function store(bytes data)',
  'function mint(uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function mintNft()',
]);
export const EVENTS = parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);
export const BENEFICIARY: Address = '0x00000000000000000000000000000000000000ee';
const FEES = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const TOO_MUCH = 2_000_000n;
/** The search for the least verification limit ends where it knows it this well; parts of a thousand. */
const PRECISION = 4n;

/** The calls of an account's first operation, and of its second, which finds what the first has left. */
interface Shape {
  readonly name: string;
  readonly first: readonly Hex[];
  readonly second: readonly Hex[];
}

const calling = (functionName: 'write' | 'clear' | 'dive' | 'hide' | 'mint', amount: bigint): Hex =>
  encodeFunctionData({ abi: TARGETS, functionName, args: [amount] });
const storing = (bytes: number, byte: string): Hex =>
  encodeFunctionData({ abi: TARGETS, functionName: 'store', args: [`0x${byte.repeat(bytes)}`] });
const transferring = (to: Address): Hex =>
  encodeFunctionData({ abi: TARGETS, functionName: 'transfer', args: [to, 10n] });
const SOMEBODY: Address = '0x5053b0de7b0de7b0de7b0de7b0de7b0de7b0de70';

const SHAPES: readonly Shape[] = [
  { name: 'one slot', first: [calling('write', 1n)], second: [calling('clear', 1n)] },
  { name: 'twelve slots', first: [calling('write', 12n)], second: [calling('clear', 12n)] },
  { name: 'four levels', first: [calling('dive', 4n)], second: [calling('dive', 9n)] },
  { name: 'a caught failure', first: [calling('hide', 3n)], second: [calling('hide', 6n)] },
  { name: 'large call data', first: [storing(1_000, 'ab')], second: [storing(5_000, '00')] },
  { name: 'a transfer', first: [calling('mint', 100n)], second: [transferring(SOMEBODY)] },
  {
    name: 'a batch',
    first: [calling('mint', 100n), transferring(SOMEBODY), calling('write', 3n)],
    second: [calling('clear', 3n), transferring(BENEFICIARY), calling('dive', 2n)],
  },
];

/** What one operation was estimated with, and what it took. Gas. */
export interface Measured {
  readonly family: string;
  readonly version: string;
  readonly what: string;
  /** The operation deploys its account, or delegates it. */
  readonly isFirst: boolean;
  readonly landed: boolean;
  readonly requestMs: number;
  readonly callGasLimit: bigint;
  readonly callGasUsed: bigint;
  readonly verificationGasLimit: bigint;
  /** The least with which the EntryPoint validates it. */
  readonly leastVerificationGas: bigint;
  /** What the bundler says of the same operation; undefined where it says that the operation fails. */
  readonly bundler: { readonly callGasLimit: bigint; readonly verificationGasLimit: bigint } | undefined;
  readonly bundlerMs: number;
}

/** Lands `count` operations, two of each account, and tells what each was estimated with and took. */
export async function measureOperations(
  world: EstimatesWorld,
  { count, tell = () => undefined }: { count: number; tell?: (line: string) => void },
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let round = 0; measured.length < count; round++) {
    const family = FAMILIES[round % FAMILIES.length] as Family;
    // Each family meets each shape, because neither number divides the other.
    const shape = SHAPES[round % SHAPES.length] as Shape;
    const account = await family.make(world.chain);
    for (const isFirst of [true, false]) {
      const found = await measureOne(world, { family, shape, account, isFirst });
      measured.push(found);
      if (!found.landed) tell(`TOO LOW: ${found.family} v${found.version}, ${found.what}, first: ${found.isFirst}`);
    }
    if (measured.length % 50 < 2) tell(`${measured.length} of ${count} operations`);
  }
  return measured;
}

/** An operation to draft. */
export interface Drafted {
  readonly family: Family;
  readonly account: SmartAccount;
  readonly calls: readonly { readonly to: Address; readonly data: Hex; readonly value: bigint }[];
  /** It deploys its account, or delegates it. */
  readonly isFirst: boolean;
  /** 0 by default. */
  readonly nonceKey?: bigint;
}

interface Played {
  readonly family: Family;
  readonly shape: Shape;
  readonly account: SmartAccount;
  readonly isFirst: boolean;
}

async function measureOne(world: EstimatesWorld, { family, shape, account, isFirst }: Played): Promise<Measured> {
  const calls = (isFirst ? shape.first : shape.second).map((data) => ({ to: world.targets, data, value: 0n }));
  const { operation, authorizationList } = await draft(world, { family, account, calls, isFirst });
  await world.seeHead();
  const startedMs = performance.now();
  const paid = await sponsored(world, operation);
  const requestMs = performance.now() - startedMs;
  const [bundler, bundlerMs] = await askBundler(world, operation);
  const signed = await sign(account, paid);
  const leastVerificationGas = await leastVerification(world, { account, paid, authorizationList });
  const receipt = await world.send({ ...bundleOf(signed), authorizationList });
  const events = parseEventLogs({ abi: EVENTS, logs: receipt.logs as unknown as Log[] });
  const landed = receipt.status === '0x1' && events[0]?.args.success === true;
  return {
    ...{ family: family.name, version: family.version, what: shape.name, isFirst, landed, requestMs, bundlerMs },
    ...{ bundler, leastVerificationGas, callGasUsed: await callGasUsed(world, receipt.transactionHash, operation) },
    callGasLimit: paid.operation.callGasLimit,
    verificationGasLimit: paid.operation.verificationGasLimit,
  };
}

/** The operation before it has limits and paymaster, with the signature that its library estimates with. */
export async function draft(world: EstimatesWorld, { family, account, calls, isFirst, nonceKey = 0n }: Drafted) {
  const { factory, factoryData } = (await account.getFactoryArgs()) as { factory?: Hex; factoryData?: Hex };
  const authorization =
    isFirst && family.delegate && account.authorization
      ? await account.authorization.account.signAuthorization?.({
          ...{ address: family.delegate, chainId: world.chain.chainId, nonce: 0 },
        })
      : undefined;
  const wire = authorization && {
    ...{ address: family.delegate, chainId: numberToHex(world.chain.chainId), nonce: '0x0' },
    ...{ yParity: numberToHex(authorization.yParity ?? 0), r: authorization.r, s: authorization.s },
  };
  const fields = {
    ...{ entryPointVersion: family.version, sender: normalizeAddress(account.address) },
    nonce: await account.getNonce(nonceKey === 0n ? {} : { key: nonceKey }),
    callData: await account.encodeCalls(calls),
    ...{ callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n, ...FEES },
    signature: await account.getStubSignature(),
  };
  const ofV06 = { initCode: factory ? concatHex([factory, factoryData ?? '0x']) : '0x' };
  const ofLater = factory && !family.delegate ? { factory: normalizeAddress(factory), factoryData } : {};
  const operation = { ...fields, ...(family.version === '0.6' ? ofV06 : ofLater) } as unknown as UserOperation;
  const whole = wire ? { ...operation, eip7702Auth: wire } : operation;
  return { operation: whole as unknown as UserOperation, authorizationList: wire && [wire] };
}

const toHex = (value: unknown): unknown => (typeof value === 'bigint' ? numberToHex(value) : value);
/** An operation as it travels, without limits that are not known yet. */
function onWire({ entryPointVersion, ...fields }: UserOperation): Record<string, unknown> {
  const wire = Object.entries(fields).map(([name, value]) => [name, toHex(value)]);
  return { ...Object.fromEntries(wire), ...(entryPointVersion === '0.6' && { paymasterAndData: '0x' }) };
}

async function ask(world: EstimatesWorld, method: string, params: readonly unknown[]) {
  const { json } = await call(world.paymasterUrl, method, params);
  if (!json.result) throw new Error(`${method}: ${JSON.stringify(json.error)}`);
  return json.result;
}

/** @param limits to be signed; measured by the gateway when absent */
export async function sponsored(
  world: EstimatesWorld,
  operation: UserOperation,
  limits?: AccountGasLimits,
): Promise<PaidOperation> {
  const entryPoint = CANONICAL_ENTRY_POINTS[operation.entryPointVersion];
  const smartAccountInfo = { name: 'INFINITISM', version: '1.0.0' };
  const mode = {
    ...{ mode: 'SPONSORED', calculateGasLimits: limits === undefined },
    sponsorshipInfo: { webhookData: {}, smartAccountInfo },
  };
  const params = [onWire({ ...operation, ...limits }), entryPoint, mode];
  const result = await ask(world, 'pm_sponsorUserOperation', params);
  const found = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'].map((name) => [
    name,
    BigInt(result[name] as string | number),
  ]);
  const { eip7702Auth: _, ...rest } = operation as UserOperation & { eip7702Auth?: unknown };
  const limited = { ...rest, ...(Object.fromEntries(found) as AccountGasLimits) } as UserOperation;
  return { operation: limited, paymasterAndData: result['paymasterAndData'] as Hex };
}

async function askBundler(world: EstimatesWorld, operation: UserOperation): Promise<[Measured['bundler'], number]> {
  const entryPoint = CANONICAL_ENTRY_POINTS[operation.entryPointVersion];
  const { callGasLimit: _c, verificationGasLimit: _v, preVerificationGas: _p, ...wire } = onWire(operation);
  const chainId = numberToHex(world.chain.chainId);
  const stub = await ask(world, 'pm_getPaymasterStubData', [wire, entryPoint, chainId, {}]);
  const { sponsor: _s, isFinal: _f, ...paymaster } = stub;
  const startedMs = performance.now();
  const answer = rpc<Record<'callGasLimit' | 'verificationGasLimit', Hex>>(
    world.bundlerUrl,
    'eth_estimateUserOperationGas',
    [{ ...wire, ...paymaster }, entryPoint],
  );
  const found = await answer.catch((error: unknown) => {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  });
  const { callGasLimit, verificationGasLimit } = found ?? {};
  const limits = callGasLimit &&
    verificationGasLimit && {
      ...{ callGasLimit: BigInt(callGasLimit), verificationGasLimit: BigInt(verificationGasLimit) },
    };
  return [limits || undefined, performance.now() - startedMs];
}

export async function sign(account: SmartAccount, paid: PaidOperation): Promise<PaidOperation> {
  // Safe's library takes an operation that does not mention a factory for one of v0.6.
  const mentioned = paid.operation.entryPointVersion === '0.6' ? {} : { factory: undefined, factoryData: undefined };
  const complete = { ...mentioned, ...withPaymaster(paid) };
  const unsigned = complete as unknown as Parameters<typeof account.signUserOperation>[0];
  return { ...paid, operation: { ...paid.operation, signature: await account.signUserOperation(unsigned) } };
}

export function bundleOf(paid: PaidOperation): { to: Address; data: Hex } {
  const { entryPointVersion } = paid.operation;
  return {
    to: CANONICAL_ENTRY_POINTS[entryPointVersion],
    data: encodeHandleOps(entryPointVersion, [paid], BENEFICIARY),
  };
}

/** Halves the way between what is too low and what suffices; each limit is signed by the gateway and by the owner. */
async function leastVerification(
  world: EstimatesWorld,
  { account, paid, authorizationList }: { account: SmartAccount; paid: PaidOperation; authorizationList?: unknown },
): Promise<bigint> {
  let [tooLow, enough] = [0n, paid.operation.verificationGasLimit];
  if (authorizationList) return enough;
  const suffices = async (verificationGasLimit: bigint): Promise<boolean> => {
    try {
      const limited = await sponsored(world, paid.operation, { ...paid.operation, verificationGasLimit });
      const { to, data } = bundleOf(await sign(account, limited));
      await rpc(world.chain.url, 'eth_call', [{ from: BENEFICIARY, to, data, gas: numberToHex(16_000_000) }, 'latest']);
      return true;
    } catch {
      return false;
    }
  };
  // Where the estimate is too low, the table says by how much.
  while (!(await suffices(enough)) && enough < TOO_MUCH) [tooLow, enough] = [enough, (enough * 5n) / 4n];
  // Nearly always it is not far below.
  for (let percent = 90n; percent > 0n && tooLow === 0n; percent -= 30n) {
    const lower = (enough * percent) / 100n;
    if (await suffices(lower)) enough = lower;
    else tooLow = lower;
  }
  while ((enough - tooLow) * 1_000n > enough * PRECISION) {
    const middle = (enough + tooLow) / 2n;
    if (await suffices(middle)) enough = middle;
    else tooLow = middle;
  }
  return enough;
}

interface Frame {
  readonly from: Address;
  readonly to?: Address;
  readonly input: Hex;
  readonly gasUsed: Hex;
  readonly calls?: readonly Frame[];
}

/** What the EntryPoint's last call of the account used. */
async function callGasUsed(world: EstimatesWorld, hash: Hex, { sender, entryPointVersion }: UserOperation) {
  const trace = await rpc<Frame>(world.chain.url, 'debug_traceTransaction', [hash, { tracer: 'callTracer' }]);
  const frames = (frame: Frame): Frame[] => [frame, ...(frame.calls ?? []).flatMap(frames)];
  const entryPoint = CANONICAL_ENTRY_POINTS[entryPointVersion];
  const ofAccount = frames(trace).filter(({ from, to }) => from === entryPoint && to === sender);
  return BigInt(ofAccount.at(-1)?.gasUsed ?? 0);
}
