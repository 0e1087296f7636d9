import type { SponsorshipPolicy, TokenListing } from '@paymaster/domain';
import { policySnapshotBuilder, rulesPolicyBuilder, tokenListingBuilder } from '@paymaster/domain/testing';
import { snapshotBytes } from './snapshot-bytes';

const snapshot = policySnapshotBuilder().build();
const token = tokenListingBuilder().build();
const bytesWith = (tokens: readonly TokenListing[]): number => snapshotBytes({ ...snapshot, tokens });

describe('snapshotBytes', () => {
  it('grows with what policies list', () => {
    const policy = rulesPolicyBuilder();
    const limits = Array(20).fill({ id: 'a', scope: 'USER', measure: 'WEI', amount: 1n, cycle: 'DAY' });
    const conditions = Array(50).fill({ values: Array(100).fill('1'), method: 'f(uint256)' });
    const listing = rulesPolicyBuilder({ deniedSenders: Array(1_000).fill('0x'), limits, arguments: conditions });
    const bytesOf = (policies: SponsorshipPolicy[]) => snapshotBytes({ ...snapshot, policies });
    const hook = { webhookId: 'a', url: 'a'.repeat(1_000), method: 'POST', secretVersions: [] } as const;
    expect(bytesOf([listing.build()]) - bytesOf([policy.build()])).toBeGreaterThan(2_000_000);
    expect(bytesOf([{ policyId: 'w', name: 'w', type: 'WEBHOOK', webhook: hook }]) - bytesOf([])).toBeGreaterThan(
      2_000,
    );
  });

  it('grows with every token', () => {
    expect(bytesWith(Array<TokenListing>(100).fill(token)) - bytesWith([])).toBeGreaterThan(100 * 1_000);
  });

  it('grows with the name and icon of the sponsor', () => {
    const bytesOf = (text: string | null): number =>
      snapshotBytes({ ...snapshot, settings: { ...snapshot.settings, sponsorName: text, sponsorIcon: text } });
    expect(bytesOf('1'.repeat(1_000)) - bytesOf(null)).toBe(2 * 2 * 1_000);
  });

  it.each<[string, (text: string) => Partial<TokenListing>]>([
    ['symbol', (symbol) => ({ symbol })],
    ['logo URL', (logoUrl) => ({ logoUrl })],
    ['id at the price API', (apiId) => ({ price: { ...token.price, apiId } })],
    ['fixed price', (fixedUsd) => ({ price: { ...token.price, fixedUsd } })],
  ])("grows with the length of a token's %s", (_title, changesOf) => {
    const bytesOf = (length: number): number => bytesWith([{ ...token, ...changesOf('1'.repeat(length)) }]);
    expect(bytesOf(1_000) - bytesOf(10)).toBe(2 * 990);
  });
});
