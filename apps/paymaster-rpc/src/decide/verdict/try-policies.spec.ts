import { SponsorshipRefusedError } from '@paymaster/domain';
import { BudgetRefusedError, type BudgetClaim } from '@paymaster/ledger';
import type { Claim, SponsorshipCandidate } from '@paymaster/policy';
import type { Caller } from '../../callers/caller';
import { tryPolicies, type PolicyTurn } from './try-policies';
import type { AllowingVerdict } from '../facts/owner-policies.service';

const caller = { chain: {} } as Caller;
const earlier = { rule: 'before', input: '', outcome: 'pass' as const };

const claim = (rule: string): Claim => ({
  ...{ key: rule, live: false, unit: 'count', amount: 1n, limit: 3n },
  refusal: { rule, reason: 'SPENDING_LIMIT_REACHED', message: `${rule} is used up` },
});
const policy = (policyId: string, changes: Partial<SponsorshipCandidate> = {}): SponsorshipCandidate => ({
  ...{ policyId, priceMissing: false, claims: [claim(`limit of ${policyId}`)] },
  ...changes,
});
const verdictOf = (first: SponsorshipCandidate, ...others: SponsorshipCandidate[]): AllowingVerdict => ({
  allowed: true,
  candidates: [first, ...others],
  restrictions: [claim('restriction')],
  trace: [earlier],
});
const usedUp = (budget: BudgetClaim) => new BudgetRefusedError({ claim: budget, used: 3n, limit: budget.limit });

/** Tries with a ledger in which these budgets have no room. */
async function tryAll(verdict: AllowingVerdict, full: readonly string[]) {
  const turns: PolicyTurn[] = [];
  const granted = tryPolicies({ caller, verdict }, async (turn) => {
    turns.push(turn);
    const refused = turn.claims.find(({ key }) => full.includes(key));
    if (refused) throw usedUp(refused);
    return turn.policyId;
  });
  const error = await granted.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { turns, error, policyId: error ? undefined : await granted };
}

describe('tryPolicies', () => {
  it('should stop at the first policy with room, restrictions claimed along', async () => {
    const { turns, policyId } = await tryAll(verdictOf(policy('a'), policy('b')), []);
    expect(policyId).toBe('a');
    expect(turns.map(({ claims }) => claims.map(({ key }) => key))).toEqual([['restriction', 'limit of a']]);
    expect(turns[0]?.trace).toEqual([
      earlier,
      { rule: 'restriction', input: '1 count of 3', outcome: 'pass' },
      { rule: 'limit of a', input: '1 count of 3', outcome: 'pass' },
    ]);
  });

  it('should try the next when one is used up, and say so in the trace', async () => {
    const { turns, policyId } = await tryAll(verdictOf(policy('a'), policy('b')), ['limit of a']);
    expect([turns.length, policyId]).toEqual([2, 'b']);
    expect(turns[1]?.trace.map(({ rule, outcome }) => `${rule} ${outcome}`)).toEqual([
      'before pass',
      'restriction skip',
      'limit of a refuse',
      'restriction pass',
      'limit of b pass',
    ]);
  });

  it('should refuse with the last limit when all are used up', async () => {
    const { turns, error } = await tryAll(verdictOf(policy('a'), policy('b')), ['limit of a', 'limit of b']);
    expect(turns).toHaveLength(2);
    expect(error).toMatchObject({
      reason: 'SPENDING_LIMIT_REACHED',
      details: { rule: 'limit of b', limit: '3' },
      trace: expect.arrayContaining([expect.objectContaining({ rule: 'limit of a', outcome: 'refuse' })]),
    });
  });

  it('should not try further policies when a restriction is used up', async () => {
    const { turns, error } = await tryAll(verdictOf(policy('a'), policy('b')), ['restriction']);
    expect(turns).toHaveLength(1);
    expect(error).toMatchObject({ details: { rule: 'restriction' } });
  });

  it('should tell limits apart that their owner called the same', async () => {
    const called = (key: string): Claim => ({ ...claim('Daily: limit per USER and DAY'), key });
    const [a, b] = [policy('a', { claims: [called('a')] }), policy('b', { claims: [called('b'), called('c')] })];
    const named = { ...verdictOf(a, b), restrictions: [called('r')] };
    const { turns, policyId } = await tryAll(named, ['a']);
    expect([turns.length, policyId]).toEqual([2, 'b']);
    const { error } = await tryAll(named, ['a', 'c']);
    expect((error as SponsorshipRefusedError).trace.map(({ outcome }) => outcome)).toEqual([
      ...['pass', 'skip', 'refuse'],
      ...['skip', 'skip', 'refuse'],
    ]);
  });

  it('should answer that the price is missing only when it is that policy’s turn', async () => {
    const unpriced = policy('usd', { priceMissing: true, claims: [] });
    expect(await tryAll(verdictOf(policy('a'), unpriced), [])).toMatchObject({ policyId: 'a' });
    const { turns, error } = await tryAll(verdictOf(policy('a'), unpriced, policy('c')), ['limit of a']);
    expect(turns).toHaveLength(1);
    expect(error).toMatchObject({ reason: 'PRICE_UNAVAILABLE', fault: 'NO_SOURCE' });
  });

  it('should answer that even when a price has come since: the claims were made without it', async () => {
    const priced = { chain: { tokens: { prices: { nativeUsdE36: () => 10n ** 36n } } } } as unknown as Caller;
    const verdict = verdictOf(policy('usd', { priceMissing: true, claims: [] }));
    const attempt = jest.fn(async () => undefined);
    await expect(tryPolicies({ caller: priced, verdict }, attempt)).rejects.toMatchObject({
      reason: 'PRICE_UNAVAILABLE',
    });
    expect(attempt).not.toHaveBeenCalled();
  });

  it('should hand on every other error at once', async () => {
    for (const error of [new Error('down'), new SponsorshipRefusedError('TOO_MANY_LIVE_SIGNATURES', 'x')]) {
      const attempt = jest.fn(() => Promise.reject(error));
      const verdict = verdictOf(policy('a'), policy('b'));
      await expect(tryPolicies({ caller, verdict }, attempt)).rejects.toBe(error);
      expect(attempt).toHaveBeenCalledTimes(1);
    }
  });
});
