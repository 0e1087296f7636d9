import { CallRevertedError, StateOverridesUnsupportedError, type EthCall, type StateOverrides } from '@paymaster/chain';
import type { PackedVersion } from '@paymaster/domain';
import { DependencyUnavailableError, type Hex } from '@paymaster/domain';
import { randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import { TokenPathSimulator } from './token-path-simulator';

const bounds = { maxVerificationGasLimit: 2_000_000n };
const WORD = (digits: string): Hex => `0x${digits.padStart(64, '0')}`;

describe('TokenPathSimulator', () => {
  /** A node that recognises each call and answers it: the SenderCreator, the probe of overrides, the simulation. */
  const nodeThat = (answers: { senderCreator?: () => Hex; probe?: Hex; simulation: () => Hex }) => {
    const asked: string[] = [];
    const gases: Array<bigint | undefined> = [];
    const provider = {
      chain: { chainId: 1, rpcUrls: [] },
      ethCall: async <T>(
        { data, gas }: EthCall,
        parse: (returned: unknown) => T,
        overrides?: StateOverrides,
      ): Promise<T> => {
        const kind = !overrides ? 'senderCreator' : data === '0x' ? 'probe' : 'simulation';
        asked.push(kind);
        if (kind === 'simulation') gases.push(gas);
        if (kind === 'probe') return parse(answers.probe ?? WORD('1'));
        return parse((kind === 'simulation' ? answers.simulation : answers.senderCreator!)());
      },
    };
    return { asked, gases, simulator: new TokenPathSimulator(provider, { bounds }) };
  };
  const request = (version: PackedVersion = '0.7') => ({
    operation: userOperationV07Builder(version).build(),
    entryPoint: randomAddress(),
    paymaster: randomAddress(),
    token: randomAddress(),
    receiver: randomAddress(),
    fundingWallet: randomAddress(),
    way: 'allowance' as const,
    amountBaseUnits: 1n,
  });
  const revert = () => {
    throw new CallRevertedError('execution reverted', '0x');
  };

  it('distinguishes a node that ignores the overrides from a simulation that fails', async () => {
    const deaf = nodeThat({ simulation: revert, probe: '0x' });
    await expect(deaf.simulator.simulate(request())).rejects.toThrow(StateOverridesUnsupportedError);
    const short = nodeThat({ simulation: revert });
    await expect(short.simulator.simulate(request())).rejects.toThrow(DependencyUnavailableError);
  });

  it.each(['0x', '0x1234', WORD('20'), `${WORD('20')}${'00'.repeat(64)}`] as Hex[])(
    'does not accept %s as an outcome',
    async (answer) => {
      const { simulator } = nodeThat({ simulation: () => answer });
      await expect(simulator.simulate(request())).rejects.toThrow('simulate is missing or malformed');
    },
  );

  it('reads the SenderCreator of v0.8 once per EntryPoint, and again after a failure', async () => {
    let fails = true;
    const senderCreator = () => {
      if (fails) throw new DependencyUnavailableError('chain', 'down');
      return WORD(randomAddress().slice(2));
    };
    const { simulator, asked } = nodeThat({ senderCreator, simulation: revert });
    const once = { ...request('0.8'), entryPoint: randomAddress() };
    await expect(simulator.simulate(once)).rejects.toThrow('down');
    fails = false;
    for (let round = 0; round < 3; round++) await simulator.simulate(once).catch(() => undefined);
    expect(asked.filter((kind) => kind === 'senderCreator')).toHaveLength(2);
    await simulator.simulate(request('0.8')).catch(() => undefined);
    expect(asked.filter((kind) => kind === 'senderCreator')).toHaveLength(3);
  });

  it.each([
    ['of the operation where nothing is deployed', { callGasLimit: 1_600_000n }, 1_700_000n],
    ['and its verification gas for a factory', { callGasLimit: 800_000n, verificationGasLimit: 800_000n }, 1_700_000n],
    ['of the factory up to the bound of the chain', { callGasLimit: 0n, verificationGasLimit: 10n ** 9n }, 2_125_000n],
  ])('asks for the gas %s, and no more than a token path besides', async (_title, limits, operationGas) => {
    const { simulator, gases } = nodeThat({ simulation: revert });
    const base = request();
    const factory = 'verificationGasLimit' in limits && { factory: randomAddress(), factoryData: '0x' as const };
    const operation = { ...base.operation, ...limits, ...factory, callData: '0x' as const };
    await simulator.simulate({ ...base, operation }).catch(() => undefined);
    const besides = gases[0]! - operationGas;
    expect(besides).toBeGreaterThan(8_000_000n);
    expect(besides).toBeLessThan(8_100_000n);
  });

  it('asks for the gas that nodes count for the data', async () => {
    const { simulator, gases } = nodeThat({ simulation: revert });
    const base = request();
    const long = { ...base.operation, callData: `0x${'11'.repeat(100_000)}` as Hex };
    const short = { ...base.operation, callData: '0x' as Hex };
    for (const operation of [long, short]) await simulator.simulate({ ...base, operation }).catch(() => undefined);
    expect(gases[0]! - gases[1]!).toBe(40n * 100_000n);
  });

  it('runs four of a funding wallet at once', async () => {
    const started: string[] = [];
    const hanging = {
      chain: { chainId: 1, rpcUrls: [] },
      ethCall: () => new Promise<never>(() => started.push('')),
    };
    const simulator = new TokenPathSimulator(hanging, { bounds, longestWaitMs: 1 });
    const busy = request();
    for (let round = 0; round < 4; round++) void simulator.simulate(busy);
    await expect(simulator.simulate(busy)).rejects.toMatchObject({ dependency: 'chain', retryAfterSeconds: 1 });
    expect(started).toHaveLength(4);
    void simulator.simulate(request());
    expect(started).toHaveLength(5);
  });

  it('asks no SenderCreator of earlier versions', async () => {
    const { simulator, asked } = nodeThat({ simulation: revert });
    await simulator.simulate(request('0.7')).catch(() => undefined);
    expect(asked).not.toContain('senderCreator');
  });
});
