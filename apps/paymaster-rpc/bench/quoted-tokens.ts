import { randomBytes } from 'node:crypto';
import { ceilDiv } from '@paymaster/domain';
import type { QuotedToken } from './quote-requests';

const TOKENS = 100;
const DECIMALS = [6, 8, 18] as const;

/** The benchmark's token list, in the operator's format, and what its quotes must say. */
export interface BenchTokens {
  readonly list: object;
  readonly tokens: readonly QuotedToken[];
}

/** A hundred tokens of different decimals and prices. @param nativeUsdE8 of the native coin, as feeds write it */
export function benchTokens({ chainId, nativeUsdE8 }: { chainId: number; nativeUsdE8: bigint }): BenchTokens {
  const made = Array.from({ length: TOKENS }, (_, index) => {
    const decimals = DECIMALS[index % DECIMALS.length] ?? 18;
    const cents = BigInt(101 + index);
    const address = `0x${randomBytes(20).toString('hex')}` as const;
    const fixedUsd = `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`;
    const extensions = { paymaster: { price: { fixedUsd }, premiumPercentage: '10' } };
    const listed = { chainId, address, name: `Token ${index}`, symbol: `TKN${index}`, decimals, extensions };
    const exchangeRate = ceilDiv(10n ** BigInt(decimals) * nativeUsdE8, cents * 10n ** 6n);
    return { listed, token: { address, exchangeRate } };
  });
  return {
    list: {
      name: 'Benchmark',
      timestamp: '2025-01-01T00:00:00.000Z',
      version: { major: 1, minor: 0, patch: 0 },
      tokens: made.map(({ listed }) => listed),
    },
    tokens: made.map(({ token }) => token),
  };
}
