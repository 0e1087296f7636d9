import type { TokenListing } from '@paymaster/domain';
import { policySnapshotBuilder, tokenListingBuilder } from '@paymaster/domain/testing';
import { snapshotBytes } from './snapshot-bytes';

const snapshot = policySnapshotBuilder().build();
const token = tokenListingBuilder().build();
const bytesWith = (tokens: readonly TokenListing[]): number => snapshotBytes({ ...snapshot, tokens });

describe('snapshotBytes', () => {
  it('grows with every token', () => {
    expect(bytesWith(Array<TokenListing>(100).fill(token)) - bytesWith([])).toBeGreaterThan(100 * 1_000);
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
