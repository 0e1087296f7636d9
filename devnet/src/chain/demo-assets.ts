/** A token of the local world, priced by a feed and by the price server. */
export interface DemoToken {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Takes EIP-2612 permits. */
  readonly permit: boolean;
  /** Its id at the price server. */
  readonly apiId: string;
  /** USD per whole token at the start, up to eight decimals. */
  readonly usd: string;
  /** On top of the price, as the operator's token list says. */
  readonly premiumPercentage: string;
}

/** Three tokens that round differently: few decimals, dear and with few decimals, many decimals. */
export const DEMO_TOKENS = [
  {
    symbol: 'USDx',
    name: 'Demo Dollar',
    decimals: 6,
    permit: true,
    apiId: 'demo-dollar',
    usd: '1.0002',
    premiumPercentage: '10',
  },
  {
    symbol: 'BTCx',
    name: 'Demo Bitcoin',
    decimals: 8,
    permit: false,
    apiId: 'demo-bitcoin',
    usd: '96210.55',
    premiumPercentage: '7.5',
  },
  {
    symbol: 'DAIx',
    name: 'Demo Dai',
    decimals: 18,
    permit: false,
    apiId: 'demo-dai',
    usd: '0.9994',
    premiumPercentage: '0',
  },
] as const satisfies readonly DemoToken[];

export type DemoTokenSymbol = (typeof DEMO_TOKENS)[number]['symbol'];

/** The coin of the local chain. */
export const DEMO_NATIVE = { symbol: 'ETH', apiId: 'ethereum', usd: '3187.42' } as const;

/** Everything that has a price, by symbol. */
export const PRICED_ASSETS: ReadonlyArray<{ readonly symbol: string; readonly apiId: string; readonly usd: string }> = [
  DEMO_NATIVE,
  ...DEMO_TOKENS,
];
