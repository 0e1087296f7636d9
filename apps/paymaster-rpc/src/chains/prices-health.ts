import { Injectable } from '@nestjs/common';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { ServedChains } from './served-chains';

/** Tokens named in the detail; the rest is counted. */
const MAX_NAMED = 20;

/**
 * The health of all prices. Sponsorship needs no prices, and if one token has no price, only that token is not quoted.
 */
@Injectable()
export class PricesHealth implements HealthCheck {
  readonly name = 'prices';
  readonly essential = false;

  constructor(private readonly chains: ServedChains) {}

  check(): HealthReport {
    const chains = [...this.chains.all()].flatMap(({ config, tokens }) =>
      tokens ? [{ chainId: config.chainId, health: tokens.prices.health() }] : [],
    );
    const priced = chains.reduce((count, { health }) => count + health.tokens, 0);
    const stopped = chains.flatMap(({ chainId, health }) =>
      health.stopped.map(({ symbol, address, fault }) => `${symbol} (${address}) of ${chainId}: ${fault}`),
    );
    const ofOwners = chains.reduce((count, { health }) => count + health.ownersStopped, 0);
    const others = ofOwners > 0 ? `; ${ofOwners} tokens of paymasters without a price` : '';
    // Owners can name any token, so their tokens without a price are only counted and do not make the check degraded.
    if (stopped.length === 0) return { status: 'up', detail: `${priced - ofOwners} tokens priced${others}` };
    const more = stopped.length > MAX_NAMED ? `, and ${stopped.length - MAX_NAMED} more` : '';
    return { status: 'degraded', detail: `no quotes in ${stopped.slice(0, MAX_NAMED).join(', ')}${more}${others}` };
  }
}
