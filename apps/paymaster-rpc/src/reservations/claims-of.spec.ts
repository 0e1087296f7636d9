import { DEFAULT_LIVE_SIGNATURE_CAPS, DEFAULT_PAYMASTER_SETTINGS, type LiveSignatureCaps } from '@paymaster/domain';
import { policySnapshotBuilder, randomAddress } from '@paymaster/domain/testing';
import type { Caller } from '../callers/caller';
import { claimsOf, type RuleClaim } from './claims-of';

const UNBOUNDED = { perSender: 1_000_000, perClient: 1_000_000, perPaymaster: 1_000_000 };
const sender = randomAddress();

function callerWith(liveSignatureCaps: LiveSignatureCaps, clientAddress = '2001:db8:1:2::3'): Caller {
  const settings = { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps };
  const snapshot = policySnapshotBuilder().with('paymasterId', 'p').with('settings', settings).build();
  return { paymaster: { snapshot }, clientAddress } as Caller;
}

const rule = (changes: Partial<RuleClaim>): RuleClaim => ({
  ...{ key: 'p:limit', live: false, unit: 'wei', amount: 30n, limit: 1_000n, shared: true },
  refusal: { rule: 'limit', reason: 'SPENDING_LIMIT_REACHED', message: 'used up' },
  ...changes,
});

describe('claimsOf', () => {
  const caps = { perSender: 4, perClient: 100, perPaymaster: 10_000, clientSharePercent: 50 };

  it('counts each signature against its sender, its client network and its paymaster', () => {
    const claims = claimsOf({ caller: callerWith(caps), sender, rules: [] }, UNBOUNDED);
    expect(claims).toMatchObject([
      { key: `live:p:sender:${sender}`, limit: 4n },
      { key: 'live:p:client:2001:db8:1:2::/64', limit: 100n },
      { key: 'live:p', limit: 10_000n },
    ]);
    for (const claim of claims) {
      expect(claim).toMatchObject({ live: true, unit: 'count', amount: 1n });
      expect(claim.refusal.reason).toBe('TOO_MANY_LIVE_SIGNATURES');
    }
  });

  it("never allows more than the operator's bounds", () => {
    const bounds = { perSender: 2, perClient: 3, perPaymaster: 5 };
    const claims = claimsOf({ caller: callerWith(DEFAULT_LIVE_SIGNATURE_CAPS), sender, rules: [] }, bounds);
    expect(claims.map(({ limit }) => limit)).toEqual([2n, 3n, 5n]);
  });

  it('gives one client its share of a limit of the whole paymaster, in live signatures', () => {
    const claims = claimsOf({ caller: callerWith(caps, '203.0.113.7'), sender, rules: [rule({})] }, UNBOUNDED);
    expect(claims.slice(3)).toMatchObject([
      { key: 'p:limit', live: false, amount: 30n, limit: 1_000n },
      { key: 'p:limit:client:203.0.113.7', live: true, unit: 'wei', amount: 30n, limit: 500n },
    ]);
    expect(claims[3]).not.toHaveProperty('shared');
  });

  it('rounds a share up, so that a limit of one operation is not a limit of none', () => {
    const rules = [rule({ unit: 'count', amount: 1n, limit: 1n })];
    expect(claimsOf({ caller: callerWith(caps), sender, rules }, UNBOUNDED)[4]).toMatchObject({ limit: 1n });
  });

  it('asks for no share of a limit that is one account’s own', () => {
    expect(claimsOf({ caller: callerWith(caps), sender, rules: [rule({ shared: false })] }, UNBOUNDED)).toHaveLength(4);
  });
});
