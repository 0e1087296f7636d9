import { randomAddress } from '@paymaster/domain/testing';
import type { Hex } from '@paymaster/domain';
import { SignerMembership } from './signer-membership';

const YES = `0x${'1'.padStart(64, '0')}` as const;
const NO = `0x${'0'.repeat(64)}` as const;

describe('SignerMembership', () => {
  const signer = randomAddress();
  const second = randomAddress();
  let signers = [signer];
  const down = new Set<Hex>();
  beforeEach(() => {
    signers = [signer];
    down.clear();
  });
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
    const roster = { addresses: () => signers, isUp: (address: Hex) => !down.has(address) };
    const target = new SignerMembership(chain, provider, roster, (error) => faults.push(error));
    return { target, faults, calls };
  };

  it('asks each contract about this signer, and allows it if the contract has it', async () => {
    const { target, calls } = membership({ [v06.paymaster]: YES, [v07.paymaster]: YES });
    await target.start();
    target.stop();
    const asked = signer.slice(2).padStart(64, '0');
    expect(calls.sort()).toEqual(['0x3f10102e', '0x3f10102e', '0x7df73e27', '0x7df73e27'].map((name) => name + asked));
    expect(target.strangerTo(signer)).toEqual([]);
    expect(() => target.assertMember('0.6')).not.toThrow();
  });

  it('refuses for the contract that does not know it, and for no other', async () => {
    const { target } = membership({ [v06.paymaster]: YES, [v07.paymaster]: NO });
    await target.start();
    target.stop();
    expect(target.strangerTo(signer)).toEqual(['0.7']);
    expect(() => target.assertMember('0.6')).not.toThrow();
    expect(() => target.assertMember('0.7')).toThrow(
      'The paymaster contract for EntryPoint v0.7 on chain 10 does not accept this signer.',
    );
  });

  it('does not accept a signer that is not active yet, and says when it will be active', async () => {
    const activeFrom = 1_800_000_000;
    const provider = {
      ethCall: async <T>({ data }: { data: Hex }, parse: (returned: unknown) => T): Promise<T> =>
        parse(data.startsWith('0x7df73e27') ? NO : `0x${activeFrom.toString(16).padStart(64, '0')}`),
    };
    const target = new SignerMembership(chain, provider, { addresses: () => signers, isUp: () => true });
    await target.start();
    target.stop();
    expect(target.strangerTo(signer)).toEqual(['0.6', '0.7']);
    const waits = { isAccepted: false, activeFromSeconds: activeFrom };
    expect(target.standingOf(signer)).toEqual(['0.6', '0.7'].map((version) => ({ version, ...waits })));
    expect(() => target.assertMember('0.7')).toThrow(
      'The paymaster contract for EntryPoint v0.7 on chain 10 accepts this signer only after 2027-01-15T08:00:00.000Z.',
    );
  });

  it('keeps the last verdict when there is no answer, and reports why', async () => {
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
      expect(target.strangerTo(signer)).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  /** Contracts that accept some signers only. */
  const selective = (accepted: () => readonly Hex[]) => {
    const provider = {
      ethCall: async <T>({ data }: { data: Hex }, parse: (returned: unknown) => T): Promise<T> =>
        parse(accepted().some((address) => data.endsWith(address.slice(2))) ? YES : NO),
    };
    const roster = { addresses: () => signers, isUp: (address: Hex) => !down.has(address) };
    return new SignerMembership(chain, provider, roster);
  };

  it('allows signing while an accepted signer is up, and otherwise says what is wrong', async () => {
    signers = [signer, second];
    const target = selective(() => [second]);
    await target.start();
    target.stop();
    expect(target.trustOf('0.7').trusts(signer)).toBe(false);
    expect(target.trustOf('0.7').trusts(second)).toBe(true);
    expect(target.strangerTo(signer)).toEqual(['0.6', '0.7']);
    expect(() => target.assertMember('0.7')).not.toThrow();
    expect(target.unsignable()).toEqual([]);

    down.add(second);
    expect(() => target.assertMember('0.7')).toThrow(
      'No signer that the paymaster contract for EntryPoint v0.7 accepts can sign now.',
    );
    expect(target.unsignable()).toEqual(['0.6', '0.7']);
  });

  it('does not trust a signer that is new to this process until the contract has said yes', async () => {
    const target = selective(() => [signer, second]);
    await target.start();
    signers = [second, signer];
    expect(target.trustOf('0.7').trusts(second)).toBe(false);
    expect(() => target.assertMember('0.7')).not.toThrow();
    await target.start();
    target.stop();
    expect(target.trustOf('0.7').trusts(second)).toBe(true);
  });
});
