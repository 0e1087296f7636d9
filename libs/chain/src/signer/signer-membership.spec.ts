import { randomAddress } from '@paymaster/domain/testing';
import type { Hex } from '@paymaster/domain';
import { SignerMembership } from './signer-membership';

const YES = `0x${'1'.padStart(64, '0')}` as const;
const NO = `0x${'0'.repeat(64)}` as const;

describe('SignerMembership', () => {
  const signer = randomAddress();
  const v06 = { entryPoint: randomAddress(), paymaster: randomAddress() };
  const v07 = { entryPoint: randomAddress(), paymaster: randomAddress() };
  const chain = { chainId: 10, entryPoints: { '0.6': v06, '0.7': v07 } };

  /** Contracts that answer from a table; a missing one fails. */
  const membership = (answers: Record<string, Hex>) => {
    const faults: unknown[] = [];
    const calls: Hex[] = [];
    const provider = {
      ethCall: async <T>({ to, data }: { to: Hex; data: Hex }, parse: (returned: unknown) => T): Promise<T> => {
        calls.push(data);
        if (!answers[to]) throw new Error('no answer');
        return parse(answers[to]);
      },
    };
    const target = new SignerMembership(chain, provider, signer, (error) => faults.push(error));
    return { target, faults, calls };
  };

  it('asks each contract for this signer, and lets sign where it is in the set', async () => {
    const { target, calls } = membership({ [v06.paymaster]: YES, [v07.paymaster]: YES });
    await target.start();
    target.stop();
    expect(calls).toEqual(Array(2).fill(`0x7df73e27${signer.slice(2).padStart(64, '0')}`));
    expect(target.strangerTo()).toEqual([]);
    expect(() => target.assertMember('0.6')).not.toThrow();
  });

  it('refuses for the contract that does not know it, and for no other', async () => {
    const { target } = membership({ [v06.paymaster]: YES, [v07.paymaster]: NO });
    await target.start();
    target.stop();
    expect(target.strangerTo()).toEqual(['0.7']);
    expect(() => target.assertMember('0.6')).not.toThrow();
    expect(() => target.assertMember('0.7')).toThrow(
      'The paymaster contract for EntryPoint v0.7 on chain 10 does not accept this signer.',
    );
  });

  it('takes no answer for no verdict, and reports why', async () => {
    const { target, faults } = membership({ [v06.paymaster]: YES });
    await target.start();
    target.stop();
    expect(faults).toHaveLength(1);
    expect(() => target.assertMember('0.7')).not.toThrow();
  });

  it('asks again, so that a key added later is accepted', async () => {
    jest.useFakeTimers();
    try {
      const answers: Record<string, Hex> = { [v06.paymaster]: YES, [v07.paymaster]: NO };
      const { target } = membership(answers);
      await target.start();
      answers[v07.paymaster] = YES;
      await jest.advanceTimersByTimeAsync(5_000);
      target.stop();
      expect(target.strangerTo()).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });
});
