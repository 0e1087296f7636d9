import type { Address } from '@paymaster/domain';
import type { PriceFault } from '../sources/price-unavailable.error';
import type { PriceProblem } from '../sources/price-source';
import type { PricingFault } from './fault-reporter';
import type { WatchedAsset } from './watched-asset';
import type { WatchedToken } from './watched-token';

/** A token without quotes, and why. */
export interface StoppedToken {
  readonly address: Address;
  readonly symbol: string;
  readonly fault: PriceFault;
  /** For operators: names hosts and feeds. */
  readonly message: string;
}

/** For health pages and metrics. Many people may read these, so owners' tokens are only counted and not named. */
export interface PricingHealth {
  /** The number of tokens that have a price or should have one. */
  readonly tokens: number;
  /** The operator's tokens without quotes. */
  readonly stopped: readonly StoppedToken[];
  /** How many tokens that only owners list have no quotes. */
  readonly ownersStopped: number;
  /** Faults of the chain, of assets or of single sources, whether they stop a token or not. For operators only. */
  readonly faults: readonly PricingFault[];
}

export function stoppedTokens(tokens: readonly WatchedToken[], nowMs: number): StoppedToken[] {
  return tokens.flatMap((token) => {
    const { address, symbol } = token.listing;
    const rate = token.rate(nowMs);
    return 'fault' in rate ? [{ address, symbol, fault: rate.fault, message: rate.message }] : [];
  });
}

/** Each fault once, not once for every token that it stops. */
export function pricingFaults(input: {
  sequencerProblem: PriceProblem | undefined;
  native: WatchedAsset;
  tokens: Iterable<WatchedToken>;
  nowMs: number;
}): PricingFault[] {
  const { sequencerProblem, native, nowMs } = input;
  const tokens = [...input.tokens];
  const subjects = new Map<WatchedAsset, string[]>([[native, ['native coin']]]);
  for (const { asset, listing, isOperators } of tokens) {
    const names = subjects.get(asset) ?? [];
    // Leaves owners out, because a fault is not new when another owner lists the token.
    if (isOperators || names.length === 0) subjects.set(asset, [...names, listing.symbol]);
  }

  return [
    ...(sequencerProblem ? [asFault('sequencer', sequencerProblem)] : []),
    ...[...subjects].flatMap(([asset, names]) => assetFaults(asset, [...new Set(names)].join(', '), nowMs)),
    ...tokens.flatMap((token) => {
      const rate = token.rate(nowMs);
      const isOwnFault =
        'fault' in rate && rate.fault === 'RATE_OUT_OF_RANGE' && !('fault' in token.asset.state(nowMs));
      return isOwnFault ? [asFault(token.listing.symbol, rate)] : [];
    }),
  ];
}

function assetFaults(asset: WatchedAsset, subject: string, nowMs: number): PricingFault[] {
  const state = asset.state(nowMs);
  if ('fault' in state) return state.fault === 'NOT_YET_READ' ? [] : [asFault(subject, state)];
  return asset.withoutSources.map(({ source, fault, message }) => ({ subject, source, fault, message }));
}

function asFault(subject: string, { fault, message }: PriceProblem): PricingFault {
  return { subject, source: null, fault, message };
}
