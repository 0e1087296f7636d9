import { Injectable, Logger } from '@nestjs/common';
import { ChainProvider, StateOverridesUnsupportedError } from '@paymaster/chain';
import { DependencyUnavailableError, toPriceReference, type Address, type TokenListing } from '@paymaster/domain';
import { TokenProbe, TokenRefusedError } from '@paymaster/gas';
import { SupportedChains } from '../../platform/chains/supported-chains';
import {
  ChainNotSupportedError,
  ChainUnavailableError,
  TokensNotVerifiableError,
  TokenUnfitError,
} from '../../platform/http/dashboard-errors';
import { assertUnitIsSmall } from './base-unit-worth';
import { withDeadline } from '../../platform/chains/with-deadline';

/** All reads of one inspection together; milliseconds. */
const DEADLINE_MS = 10_000;

/** A URL that hangs costs an inspection two of these, then the others are asked alone. */
const PROVIDER_SETTINGS = { callTimeoutMs: 2_500, breaker: { failureThreshold: 2, openMs: 60_000 } };

/** What is read of a token, so that no owner can claim it. */
export type TokenOnChain = Pick<TokenListing, 'symbol' | 'decimals' | 'transferGas'>;

/** Looks on chain at what owners name. Nothing else of the dashboard needs a chain, and nothing else waits for one. */
@Injectable()
export class TokenInspection {
  private readonly logger = new Logger(TokenInspection.name);

  constructor(private readonly chains: SupportedChains) {}

  /**
   * @throws {TokenUnfitError} {@link TokensNotVerifiableError} {@link ChainUnavailableError}
   *   {@link ChainNotSupportedError}
   */
  async describe(chainId: number, token: Address): Promise<TokenOnChain> {
    return this.reading(chainId, (provider) => new TokenProbe(provider).inspect(token));
  }

  /**
   * That a feed, where there is one, answers as a feed does, and that users need not pay more than an operation costs.
   *
   * @throws {TokenUnfitError} {@link InvalidBodyError} {@link ChainUnavailableError} {@link ChainNotSupportedError}
   */
  async assertFairPrice(chainId: number, token: Pick<TokenListing, 'symbol' | 'decimals' | 'price'>): Promise<void> {
    const native = this.chains.pricingOf(chainId)?.native ?? toPriceReference({});
    await this.reading(chainId, (provider) => assertUnitIsSmall(provider, { ...token, native }));
  }

  private async reading<T>(chainId: number, read: (provider: ChainProvider) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(read(this.freshProvider(chainId)), DEADLINE_MS);
    } catch (error) {
      if (error instanceof TokenRefusedError)
        throw new TokenUnfitError(`address: ${error.message}`, {}, { cause: error });
      if (error instanceof StateOverridesUnsupportedError) throw new TokensNotVerifiableError({ cause: error });
      if (error instanceof DependencyUnavailableError) throw new ChainUnavailableError({ cause: error });
      throw error;
    }
  }

  /** One per inspection: what a hostile contract makes of its breaker is forgotten with it, and hurts nobody else. */
  private freshProvider(chainId: number): ChainProvider {
    const chain = this.chains.find(chainId);
    if (!chain) throw new ChainNotSupportedError();
    const onFault = ({ message }: Error): void =>
      this.logger.warn({ chainId, problem: message }, 'a chain endpoint did not answer as it should');
    return new ChainProvider(chain, { ...PROVIDER_SETTINGS, onFault });
  }
}
