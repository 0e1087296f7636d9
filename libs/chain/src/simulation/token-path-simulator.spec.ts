import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import { randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import { CallRevertedError } from '../providers/eth-call';
import { StateOverridesUnsupportedError, type StateOverrides } from '../providers/state-overrides';
import { TokenPathSimulator } from './token-path-simulator';

const WORD = (digits: string): Hex => `0x${digits.padStart(64, '0')}`;

describe('TokenPathSimulator', () => {
  /** A node that answers each call by what is asked for: the SenderCreator, the probe of overrides, the simulation. */
  const nodeThat = (answers: { senderCreator?: () => Hex; probe?: Hex; simulation: () => Hex }) => {
    const asked: string[] = [];
    const provider = {
      chain: { chainId: 1, rpcUrls: [] },
      ethCall: async <T>(
        { data }: { to: Address; data: Hex },
        parse: (returned: unknown) => T,
        overrides?: StateOverrides,
      ): Promise<T> => {
        const kind = !overrides ? 'senderCreator' : data === '0x' ? 'probe' : 'simulation';
        asked.push(kind);
        if (kind === 'probe') return parse(answers.probe ?? WORD('1'));
        return parse((kind === 'simulation' ? answers.simulation : answers.senderCreator!)());
      },
    };
    return { asked, simulator: new TokenPathSimulator(provider) };
  };
  const request = (version: '0.7' | '0.8' = '0.7') => ({
    operation: userOperationV07Builder(version).build(),
    entryPoint: randomAddress(),
    paymaster: randomAddress(),
    token: randomAddress(),
    receiver: randomAddress(),
    way: 'allowance' as const,
    amountBaseUnits: 1n,
  });
  const revert = () => {
    throw new CallRevertedError('execution reverted', '0x');
  };

  it('tells a node that leaves the overrides out from a simulation that fails', async () => {
    const deaf = nodeThat({ simulation: revert, probe: '0x' });
    await expect(deaf.simulator.simulate(request())).rejects.toThrow(StateOverridesUnsupportedError);
    const short = nodeThat({ simulation: revert });
    await expect(short.simulator.simulate(request())).rejects.toThrow(DependencyUnavailableError);
  });

  it.each(['0x', '0x1234', WORD('20'), `${WORD('20')}${'00'.repeat(64)}`] as Hex[])(
    'does not take %s for an outcome',
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

  it('asks no SenderCreator of earlier versions', async () => {
    const { simulator, asked } = nodeThat({ simulation: revert });
    await simulator.simulate(request('0.7')).catch(() => undefined);
    expect(asked).not.toContain('senderCreator');
  });
});
