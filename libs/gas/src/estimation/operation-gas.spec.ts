import { ChainProvider, PAYMASTER_GAS_CONSTANTS } from '@paymaster/chain';
import { FakeRpcError, FakeRpcServer, UNHURRIED, type FakeRpcMode } from '@paymaster/chain/testing';
import { operationMeterAbi } from '@paymaster/contract-abis';
import { DependencyUnavailableError, RequestTimedOutError, type Hex, type UserOperation } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { Interface } from 'ethers';
import { OperationGas } from './operation-gas';

const METER = new Interface(operationMeterAbi);
const CHAIN = {
  blockTimeSeconds: 1,
  bounds: { maxCallGasLimit: 5_000_000n, maxVerificationGasLimit: 2_000_000n },
};
const HEAD = {
  latest: () => ({ number: 100n, timestampSeconds: 1_000, baseFeePerGasWei: 10n ** 9n }),
  nowSeconds: () => 1_000,
};
const WORD_OF_ONE = `0x${'1'.padStart(64, '0')}`;
/** Time for what is not about time. */
const AMPLE_MS = 30_000;

const outcomeOf = (changes: object = {}): Hex =>
  METER.encodeFunctionResult('measure', [
    {
      ...{ failed: 0, returned: '0x', validationGasUsed: 50_000n, validationGasLimit: 51_000n },
      ...{ callGasUsed: 30_000n, callGasLimit: 30_500n },
      ...changes,
    },
  ]) as Hex;

interface WireCall {
  readonly to: string;
  readonly from?: string;
  readonly gasPrice?: string;
  readonly data: string;
}
const isMeasure = ({ data }: WireCall): boolean => data.startsWith(METER.getFunction('measure')?.selector ?? '-');

describe('OperationGas', () => {
  let node: FakeRpcServer;
  /** How the node answers to the meter's call; everything else it answers as an honest node. */
  let measured: (params: readonly unknown[]) => unknown;

  beforeEach(async () => {
    measured = () => outcomeOf();
    node = await FakeRpcServer.start({
      eth_chainId: () => '0x1',
      eth_getCode: () => '0xfe',
      eth_call: (params) => {
        const call = params[0] as WireCall;
        if (isMeasure(call)) return measured(params);
        // The nonce, or the probe for state overrides.
        return call.data === '0x' ? WORD_OF_ONE : `0x${'0'.repeat(64)}`;
      },
    });
  });
  afterEach(() => node.stop());

  const gasOf = (settings: object = UNHURRIED) =>
    new OperationGas(new ChainProvider({ chainId: 1, rpcUrls: [node.url] }, settings), CHAIN, HEAD);
  const operation: UserOperation = {
    ...{ entryPointVersion: '0.7', sender: randomAddress(), nonce: 0n, callData: '0xdeed', signature: '0x' },
    ...{ callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n },
    ...{ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
  };
  const request = (withinMs = AMPLE_MS) => ({
    ...{ operation, entryPoint: randomAddress(), deadlineMs: performance.now() + withinMs },
    paymaster: {
      paymaster: randomAddress(),
      paymasterData: '0x' as const,
      paymasterGasLimits: PAYMASTER_GAS_CONSTANTS['0.7'],
    },
  });
  const metered = () =>
    node.calls.filter(({ method, params }) => method === 'eth_call' && isMeasure(params[0] as WireCall));

  it('measures in a later block, as a bundler who pays more than the base fee', async () => {
    await expect(gasOf().measure(request())).resolves.toMatchObject({ callGasLimit: 30_500n });
    const [call, tag, overrides, block] = metered()[0]?.params as [WireCall, string, Record<string, object>, object];
    expect([tag, block]).toEqual(['latest', { number: '0x69', time: '0x3ed' }]);
    expect(BigInt(call.gasPrice ?? 0)).toBe(2_000_000_001n);
    expect(overrides[call.from ?? '']).toEqual({ balance: expect.anything() });
  });

  it('measures in the latest block where the node knows no block overrides, and does not ask it again', async () => {
    measured = (params) => {
      if (params.length > 3) throw new FakeRpcError(-32602, 'too many arguments, want at most 3');
      return outcomeOf();
    };
    const gas = gasOf();
    for (let round = 0; round < 3; round++) await gas.measure(request());
    expect(metered().map(({ params }) => params.length)).toEqual([4, 3, 3, 3]);
  });

  it("reads the EntryPoint's code once", async () => {
    const gas = gasOf();
    const once = request();
    await gas.measure(once);
    await Promise.all([gas.measure(once), gas.measure(once)]);
    expect(node.callsOf('eth_getCode')).toBe(1);
  });

  it.each<[string, (params: readonly unknown[]) => unknown]>([
    ['no bytes', () => 42],
    ['bytes that are no outcome', () => '0x1234'],
    ['a step that there is not', () => outcomeOf().replace(/^(0x.{64}.{63})0/, '$19')],
    ['a call limit above the bound', () => outcomeOf({ callGasLimit: 5_000_001n })],
    ['a call limit of 2^256 - 1', () => outcomeOf({ callGasLimit: 2n ** 256n - 1n })],
    ['a validation limit above the bound', () => outcomeOf({ validationGasLimit: 2_000_001n })],
    ['validation that took more gas than it got', () => outcomeOf({ validationGasUsed: 2n ** 255n })],
    ['more of an answer than the meter keeps', () => outcomeOf({ failed: 7, returned: `0x${'ab'.repeat(1_025)}` })],
    ['a revert of the meter', () => reject(3, 'execution reverted', '0x4e487b71')],
    ['a revert with the data in an object', () => reject(3, 'execution reverted', { data: '0x4e487b71' })],
    ['a revert in words', () => reject(-32015, 'VM execution error.', 'Reverted 0x4e487b71')],
    ["Besu's revert", () => reject(-32000, 'Execution reverted', '0x4e487b71')],
    ['out of gas', () => reject(-32000, 'out of gas')],
    ['a limit of its own on gas', () => reject(-32000, 'gas limit is too high')],
    ['that it took too long', () => reject(-32000, 'execution aborted (timeout = 5s)')],
    ['no funds for the gas', () => reject(-32000, 'insufficient funds for gas * price + value')],
    ['parameters that it does not take', () => reject(-32602, 'invalid argument 2')],
    ['an error without a code', () => reject(undefined, 'down')],
  ])('says that the chain cannot be asked when the node answers %s', async (_what, answer) => {
    measured = answer;
    await expect(gasOf().measure(request())).rejects.toMatchObject({
      ...{ name: DependencyUnavailableError.name, dependency: 'chain' },
    });
  });

  it.each<FakeRpcMode>(['reset', 'http500', 'http429', 'invalidJson', 'wrongShape', 'wrongId', 'hugeBody'])(
    'says that the chain cannot be asked when the node misbehaves: %s',
    async (mode) => {
      const gas = gasOf();
      await gas.measure(request());
      node.mode = mode;
      await expect(gas.measure(request())).rejects.toMatchObject({ dependency: 'chain' });
    },
  );

  it.each<FakeRpcMode>(['hang', 'trickle'])('ends with the request when the node does not: %s', async (mode) => {
    const gas = gasOf();
    await gas.measure(request());
    node.mode = mode;
    const startedMs = performance.now();
    await expect(gas.measure(request(300))).rejects.toBeInstanceOf(RequestTimedOutError);
    expect(performance.now() - startedMs).toBeLessThan(AMPLE_MS);
  });

  it('ends with the request when the meter reverts and the node then does not say why', async () => {
    measured = () => reject(3, 'execution reverted');
    const known = node.methods['eth_call'];
    node.methods['eth_call'] = (params) =>
      (params[0] as WireCall).data === '0x' ? new Promise(() => undefined) : known?.(params);
    const startedMs = performance.now();
    await expect(gasOf().measure(request(500))).rejects.toBeInstanceOf(RequestTimedOutError);
    expect(performance.now() - startedMs).toBeLessThan(AMPLE_MS);
  });

  it('asks the next node when one tells the impossible', async () => {
    const honest = node;
    const liar = await FakeRpcServer.start({
      ...honest.methods,
      eth_call: (params) =>
        isMeasure(params[0] as WireCall)
          ? outcomeOf({ callGasLimit: 2n ** 200n })
          : honest.methods['eth_call']?.(params),
    });
    const provider = new ChainProvider({ chainId: 1, rpcUrls: [liar.url, honest.url] }, UNHURRIED);
    const measuring = new OperationGas(provider, CHAIN, HEAD).measure(request());
    await expect(measuring)
      .resolves.toMatchObject({ callGasLimit: 30_500n })
      .finally(() => liar.stop());
  });
});

function reject(code: number | undefined, message: string, data?: unknown): never {
  throw new FakeRpcError(code, message, data);
}
