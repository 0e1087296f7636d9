import { FakeRpcError, FakeRpcServer, type FakeRpcMode } from '@paymaster/chain/testing';
import {
  DependencyUnavailableError,
  FundingWalletError,
  InvalidParamsError,
  RequestTimedOutError,
  SimulationFailedError,
  type Hex,
} from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { hybridPaymasterV07Abi } from '@paymaster/contract-abis';
import { Interface } from 'ethers';
import { BundlerClient } from './bundler-client';

const SIMULATION = 'UserOperation reverted during simulation with reason:';

describe('BundlerClient', () => {
  let fake: FakeRpcServer;
  let bundler: BundlerClient;
  beforeEach(async () => {
    fake = await FakeRpcServer.start();
    bundler = new BundlerClient({ url: fake.url, timeoutMs: 60_000 });
  });
  afterEach(() => fake.stop());

  const estimate = (deadlineMs?: number) =>
    bundler.estimateUserOperationGas({ sender: randomAddress() }, randomAddress(), deadlineMs);
  const failure = async (code: number | undefined, message: string): Promise<unknown> => {
    fake.methods['eth_estimateUserOperationGas'] = () => {
      throw new FakeRpcError(code, message);
    };
    return estimate().catch((error: unknown) => error);
  };

  it("reads the account's limits", async () => {
    fake.methods['eth_estimateUserOperationGas'] = () => ({
      callGasLimit: '0x10',
      verificationGasLimit: '0x20',
      preVerificationGas: '0x30',
      paymasterPostOpGasLimit: '0x1',
    });
    await expect(estimate()).resolves.toEqual({
      callGasLimit: 16n,
      verificationGasLimit: 32n,
      preVerificationGas: 48n,
    });
  });

  it('is not asked for a request whose deadline is over, and otherwise has the rest of its time', async () => {
    await expect(estimate(performance.now())).rejects.toThrow(RequestTimedOutError);
    expect(fake.calls).toHaveLength(0);
    fake.mode = 'hang';
    await expect(estimate(performance.now() + 200)).rejects.toMatchObject({ dependency: 'bundler' });
  });

  it('counts its calls by outcome', async () => {
    fake.methods['eth_estimateUserOperationGas'] = () => ({ callGasLimit: '0x1', verificationGasLimit: '0x1', preVerificationGas: '0x1' }); // prettier-ignore
    for (let asked = 0; asked < 3; asked++) await estimate();
    for (const message of ['AA23 reverted', 'AA31 paymaster deposit too low']) await failure(-32500, message);
    fake.methods['eth_estimateUserOperationGas'] = () => ({});
    await expect(estimate()).rejects.toThrow(DependencyUnavailableError);
    await expect(estimate(performance.now())).rejects.toThrow(RequestTimedOutError);
    fake.mode = 'hang';
    // Other work left the request no time, so the bundler may be in order.
    await expect(estimate(performance.now() + 50)).rejects.toThrow(DependencyUnavailableError);
    expect(bundler.calls).toEqual({ answered: 3, refused: 2, failed: 1, slow: 0 });
    const hurried = new BundlerClient({ url: fake.url, timeoutMs: 50 });
    const own = hurried.estimateUserOperationGas({ sender: randomAddress() }, randomAddress());
    await expect(own).rejects.toThrow(DependencyUnavailableError);
    expect(hurried.calls.failed).toBe(1);
  });

  it('counts an operation that takes too long as slow, if others were answered meanwhile', async () => {
    const limits = { callGasLimit: '0x1', verificationGasLimit: '0x1', preVerificationGas: '0x1' };
    const looping = randomAddress();
    fake.methods['eth_estimateUserOperationGas'] = ([operation]) =>
      (operation as { sender: Hex }).sender === looping ? new Promise(() => undefined) : limits;
    bundler = new BundlerClient({ url: fake.url, timeoutMs: 2_000 });
    const slow = bundler
      .estimateUserOperationGas({ sender: looping }, randomAddress())
      .catch((error: unknown) => error);
    await estimate();
    expect(await slow).toBeInstanceOf(DependencyUnavailableError);
    expect(bundler.calls).toEqual({ answered: 1, refused: 0, failed: 0, slow: 1 });
  });

  it.each([
    [-32508, `${SIMULATION} AA31 paymaster deposit too low`],
    [-32500, 'AA31 paymaster deposit too low'],
    [-32501, `${SIMULATION} AA33 reverted: PM funding balance low`],
    [-32501, `${SIMULATION} AA33 reverted ${fundingBalanceTooLow()}`],
  ])('tells a deposit too low from code %d, %s', async (code, message) => {
    const error = await failure(code, message);
    expect(error).toBeInstanceOf(FundingWalletError);
    expect(error).toMatchObject({ reason: 'FUNDING_WALLET_BALANCE_TOO_LOW', details: { bundlerMessage: message } });
  });

  it.each([
    [-32500, `${SIMULATION} AA23 reverted 0x`, 'AA23'],
    [-32501, `${SIMULATION} AA33 reverted 0xd78bce0c`, 'AA33'],
    [-32507, `${SIMULATION} AA24 signature error`, 'AA24'],
    [-32503, 'AA32 paymaster expired or not due', 'AA32'],
    [-32521, 'AA50 postOp reverted', 'AA50'],
    [-32603, 'execution failed: AA10 sender already constructed', 'AA10'],
    [-32500, 'Sender has no code or factory not deployed', undefined],
  ])('keeps the words of a failed validation: %d, %s', async (code, message, aaCode) => {
    const error = await failure(code, message);
    expect(error).toBeInstanceOf(SimulationFailedError);
    expect(error).toMatchObject({ reason: 'VALIDATION_SIMULATION_FAILED', message: expect.stringContaining(message) });
    expect((error as SimulationFailedError).details['aaCode']).toBe(aaCode);
  });

  it('tells a failing call from a failing validation', async () => {
    const error = await failure(-32521, `${SIMULATION} 0x08c379a0`);
    expect(error).toMatchObject({ reason: 'EXECUTION_SIMULATION_FAILED' });
  });

  it('blames the operation when the bundler does not accept its form', async () => {
    const error = await failure(-32602, 'Validation error: Invalid hex at "params[0].callData"');
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(error).toMatchObject({ field: 'params[0]' });
  });

  it.each([
    [-32602, 'EntryPoint 0x12 not supported, supported EntryPoints: 0x34'],
    [-32603, 'internal error'],
    [-32601, 'Method not supported: eth_estimateUserOperationGas'],
    [undefined, 'Unknown error, could not parse simulate validation result.'],
  ])('blames the bundler for %p, %s', async (code, message) => {
    const error = await failure(code, message);
    expect(error).toBeInstanceOf(DependencyUnavailableError);
    expect(error).toMatchObject({ dependency: 'bundler' });
  });

  it('reads an error that comes with an HTTP status', async () => {
    fake.errorStatus = 400;
    await expect(failure(-32500, 'AA25 invalid account nonce')).resolves.toBeInstanceOf(SimulationFailedError);
  });

  it.each<FakeRpcMode>([
    'hang',
    'trickle',
    'reset',
    'http500',
    'http429',
    'invalidJson',
    'wrongShape',
    'wrongId',
    'hugeBody',
  ])('says that the bundler is unavailable, in time, when it does: %s', async (mode) => {
    fake.mode = mode;
    if (mode === 'hang' || mode === 'trickle') bundler = new BundlerClient({ url: fake.url, timeoutMs: 300 });
    const startedAt = performance.now();
    const error = (await estimate().catch((caught: unknown) => caught)) as Error;
    expect(error).toBeInstanceOf(DependencyUnavailableError);
    expect(`${error.message} ${(error.cause as Error).message}`).not.toContain('secret-key');
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it.each([
    ['null', null],
    ['a limit missing', { callGasLimit: '0x1', preVerificationGas: '0x1' }],
    ['a limit as a number', { callGasLimit: 1, verificationGasLimit: '0x1', preVerificationGas: '0x1' }],
    ['a negative limit', { callGasLimit: '-0x1', verificationGasLimit: '0x1', preVerificationGas: '0x1' }],
  ])('does not trust an estimate with %s', async (_title, answer) => {
    fake.methods['eth_estimateUserOperationGas'] = () => answer;
    await expect(estimate()).rejects.toThrow(DependencyUnavailableError);
  });
});

/** The revert data of the contract itself, so that a renamed error is noticed here. */
function fundingBalanceTooLow(): Hex {
  return new Interface(hybridPaymasterV07Abi).encodeErrorResult('FundingBalanceTooLow', [1n, 2n]) as Hex;
}
