import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { CallRevertedError } from '../providers/eth-call';
import { fakeClock } from '../testing';
import { EntryPointDeposits } from './entry-point-deposits';

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const until = async (condition: () => boolean): Promise<void> => {
  for (const end = Date.now() + 30_000; !condition() && Date.now() < end;) await settled();
};

/** A chain with one paymaster in one EntryPoint; the test sets its deposit. */
function world() {
  const time = fakeClock();
  const contract = { entryPoint: randomAddress(), paymaster: randomAddress() };
  const state = { depositWei: 100n, failure: undefined as Error | undefined, calls: 0 };
  const faults: unknown[] = [];
  const provider = {
    ethCall: async <T>({ to, data }: { to: Address; data: Hex }, parse: (value: unknown) => T): Promise<T> => {
      state.calls += 1;
      if (state.failure) throw state.failure;
      const isOurs = to === contract.entryPoint && data === `0x70a08231${'0'.repeat(24)}${contract.paymaster.slice(2)}`;
      return parse(isOurs ? word(state.depositWei) : '0x');
    },
  };
  const chain = { chainId: 1, entryPoints: { '0.7': contract } };
  const options = {
    refreshMs: 5,
    maxAgeMs: 60_000,
    clock: time.clock,
    onFault: (error: unknown) => faults.push(error),
  };
  const deposits = new EntryPointDeposits(chain, provider, options);
  return { contract, state, time, faults, deposits };
}

describe('EntryPointDeposits', () => {
  it('is read in the background, so callers do not wait', async () => {
    const { deposits, contract, state } = world();
    await deposits.start();
    expect(deposits.depositWei(contract.entryPoint)).toBe(100n);
    state.depositWei = 7n;
    await until(() => deposits.depositWei(contract.entryPoint) === 7n);
    deposits.stop();
    expect(deposits.depositWei(contract.entryPoint)).toBe(7n);
  });

  it('is read at once, and once for all callers, while it is not known', async () => {
    const { deposits, contract, state } = world();
    const asked = await Promise.all(Array.from({ length: 20 }, () => deposits.depositWei(contract.entryPoint)));
    expect(new Set(asked)).toEqual(new Set([100n]));
    expect(state.calls).toBe(1);
  });

  it('uses the last reading for a minute while the chain is down', async () => {
    const { deposits, contract, state, time, faults } = world();
    await deposits.start();
    deposits.stop();
    state.failure = new DependencyUnavailableError('chain', 'down');
    time.advanceSeconds(59);
    expect(deposits.depositWei(contract.entryPoint)).toBe(100n);
    time.advanceSeconds(1);
    await expect(deposits.depositWei(contract.entryPoint)).rejects.toThrow(DependencyUnavailableError);
    await deposits.start();
    deposits.stop();
    await settled();
    expect(faults).toEqual([state.failure]);
  });

  it('says that the chain is unavailable when the EntryPoint refuses the read', async () => {
    const { deposits, contract, state } = world();
    state.failure = new CallRevertedError('execution reverted', '0x');
    await expect(deposits.depositWei(contract.entryPoint)).rejects.toThrow(
      expect.objectContaining({ reason: 'DEPENDENCY_UNAVAILABLE', dependency: 'chain' }),
    );
  });

  it('fails, and does not say zero, when there is no contract at the address', async () => {
    const contract = { entryPoint: randomAddress(), paymaster: randomAddress() };
    const provider = { ethCall: async <T>(_call: unknown, parse: (value: unknown) => T): Promise<T> => parse('0x') };
    const deposits = new EntryPointDeposits({ chainId: 1, entryPoints: { '0.7': contract } }, provider);
    await expect(deposits.depositWei(contract.entryPoint)).rejects.toThrow('malformed');
  });
});
