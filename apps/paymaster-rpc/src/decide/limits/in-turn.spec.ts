import { DependencyUnavailableError } from '@paymaster/domain';
import { policySnapshotBuilder } from '@paymaster/domain/testing';
import { ClientTurns, NO_DEADLINE } from '@paymaster/turns';
import type { Caller } from '../../callers/caller';
import { inTurn } from './in-turn';

const ONE = { perClient: 1, perPaymaster: 1, inAll: 1 };

function world() {
  const simulations = new ClientTurns(ONE, { ...ONE, longestMs: 60_000 });
  const paymaster = { snapshot: policySnapshotBuilder().build() };
  const who = { clientAddress: '203.0.113.7', strangerNetwork: 'n', deadlineMs: NO_DEADLINE };
  const caller = { chain: { simulations }, paymaster, ...who };
  return (work: () => Promise<unknown>) => inTurn(caller as unknown as Caller, work);
}

describe('inTurn', () => {
  it('ends a turn when its work ends or fails', async () => {
    const run = world();
    expect(await run(async () => 'done')).toBe('done');
    await expect(run(() => Promise.reject(new Error('AA23')))).rejects.toThrow('AA23');
    expect(await run(async () => 'again')).toBe('again');
  });

  it('keeps the turn for as long again if there was no answer, because the server may still be at work', async () => {
    const run = world();
    const silent = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      throw new DependencyUnavailableError('bundler', 'no answer');
    };
    await expect(run(silent)).rejects.toThrow('no answer');
    const endedMs = performance.now();
    await run(async () => expect(performance.now() - endedMs).toBeGreaterThan(250));
  });
});
