import { DEFAULT_LIVE_SIGNATURE_CAPS, DEFAULT_PAYMASTER_SETTINGS, type LiveSignatureCaps } from '@paymaster/domain';
import { policySnapshotBuilder, randomAddress } from '@paymaster/domain/testing';
import type { BudgetClaim } from '@paymaster/ledger';
import type { Caller } from '../callers/caller';
import { claimsOf, type LiveSignatureBounds } from './claims-of';
import { ClientNames } from '../callers/client-names';

const UNBOUNDED = { perSender: 1_000_000, perClient: 1_000_000, perPaymaster: 1_000_000 };
const CAPS = { perSender: 4, perClient: 100, perPaymaster: 10_000, clientSharePercent: 50 };
const IPV4 = '203.0.113.7';
const sender = randomAddress();
const names = new ClientNames('ab'.repeat(32));

interface Asking {
  readonly caps?: LiveSignatureCaps;
  readonly clientAddress?: string;
  readonly isUncounted?: boolean;
  readonly rules?: readonly BudgetClaim[];
  readonly bounds?: LiveSignatureBounds;
}

function ask({ caps = CAPS, clientAddress = IPV4, isUncounted, rules = [], bounds = UNBOUNDED }: Asking = {}) {
  const settings = { ...DEFAULT_PAYMASTER_SETTINGS, liveSignatureCaps: caps };
  const snapshot = policySnapshotBuilder().with('paymasterId', 'p').with('settings', settings).build();
  const strangerNetwork = isUncounted ? undefined : names.of(clientAddress).site;
  const caller = { paymaster: { snapshot }, clientAddress, strangerNetwork } as Caller;
  return claimsOf({ caller, sender, prechargeWei: 30n, rules }, { bounds, names });
}

const rule = (changes: Partial<BudgetClaim> = {}): BudgetClaim => ({
  ...{ key: 'p:limit', live: false, unit: 'wei', amount: 30n, limit: 1_000n },
  refusal: { rule: 'limit', reason: 'SPENDING_LIMIT_REACHED', message: 'used up' },
  ...changes,
});

describe('claimsOf', () => {
  it('counts each signature against its sender, its client and its paymaster', () => {
    const { network, site } = names.of(IPV4);
    const claims = ask().filter(({ refusal }) => refusal.reason === 'TOO_MANY_LIVE_SIGNATURES');
    expect(claims).toMatchObject([
      { key: `live:p:sender:${sender}`, limit: 4n },
      { key: `live:p:client:${network}`, limit: 100n },
      { key: 'live:p', limit: 10_000n },
      { key: `live:p:sender:${sender}:${site}`, limit: 3n },
    ]);
    for (const claim of claims) expect(claim).toMatchObject({ live: true, unit: 'count', amount: 1n });
  });

  it('counts a server of the owner that names no user in nothing that is of a client', () => {
    const keys = ask({ isUncounted: true, rules: [rule()] }).map(({ key }) => key);
    expect(keys).toEqual([`live:p:sender:${sender}`, 'live:p', 'p:limit']);
  });

  it('counts a client of IPv6 in its /64 and, ten times as many, in the /48 around it', () => {
    const { network, site } = names.of('2001:db8:1:2::3');
    const limits = new Map(ask({ clientAddress: '2001:db8:1:2::3' }).map(({ key, limit }) => [key, limit]));
    expect(limits.get(`live:p:client:${network}`)).toBe(100n);
    expect(limits.get(`live:p:client:${site}`)).toBe(1_000n);
    expect(limits.get(`live:p:sender:${sender}:${site}`)).toBe(3n);
  });

  it('never writes an address down', () => {
    for (const clientAddress of [IPV4, '2001:db8:1:2::3'])
      expect(JSON.stringify(ask({ clientAddress, rules: [rule()] }).map(({ key }) => key))).not.toMatch(
        /203\.0|2001:db8/,
      );
  });

  it("never allows more than the operator's bounds", () => {
    const bounds = { perSender: 2, perClient: 3, perPaymaster: 5 };
    const claims = ask({ caps: DEFAULT_LIVE_SIGNATURE_CAPS, bounds });
    expect(claims.slice(0, 4).map(({ limit }) => limit)).toEqual([2n, 3n, 5n, 1n]);
  });

  it('gives one client its share of what is left of each limit, and strangers half of limits that others share', () => {
    const rules = [rule(), rule({ key: `p:other:${sender}`, unit: 'count', amount: 1n })];
    const { site } = names.of(IPV4);
    expect(ask({ rules }).slice(4)).toMatchObject([
      ...rules,
      { key: `p:limit:client:${site}`, live: true, unit: 'wei', amount: 30n, share: { percent: 50, of: 'p:limit' } },
      {
        key: `p:other:${sender}:client:${site}`,
        ...{ live: true, unit: 'count', amount: 1n, share: { percent: 50, of: `p:other:${sender}` } },
      },
      { key: 'p:limit:strangers', live: true, unit: 'wei', share: { percent: 75, of: 'p:limit', isOfStrangers: true } },
    ]);
  });

  it('bounds no client if the owner lets one client have all', () => {
    const keys = ask({ caps: { ...CAPS, clientSharePercent: 100 }, rules: [rule()] }).map(({ key }) => key);
    const { network } = names.of(IPV4);
    expect(keys).toEqual([`live:p:sender:${sender}`, `live:p:client:${network}`, 'live:p', 'p:limit']);
  });

  it('gives the only place of a sender to the first client', () => {
    const keys = ask({ caps: { ...CAPS, perSender: 1 } }).map(({ key }) => key);
    expect(keys.filter((key) => key.includes('sender'))).toEqual([`live:p:sender:${sender}`]);
  });
});
