import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  normalizeAddress,
  PRICE_SOURCE_NAMES,
  readWritten,
  sourcesOf,
  standardsOf,
  TOKEN_TERMS,
  toPriceReference,
  type Address,
  type PriceReference,
} from '@paymaster/domain';
import type { EntityManager } from 'typeorm';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import type { Editor } from '../../access/callers/caller';
import {
  InvalidBodyError,
  LimitReachedError,
  TokenExistsError,
  TokenNotFoundError,
  TokensNotTakenError,
} from '../../platform/http/dashboard-errors';
import { refuseIfChangedMeanwhile } from '../../platform/http/expected-values';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PolicyWriter, type RecordedChange } from '../policy-changes/policy-writer';
import { PriceApi } from './price-api';
import type { Token } from './token.entity.db';
import { TokenInspection } from './token-inspection.service';
import type { DeleteTokenDto, RegisterTokenDto, UpdateTokenDto } from './token.dto';
import { toTokenView, type TokenView } from './token.view';
import { TokensRepository } from './tokens.repository';

/** The tokens in which users of a paymaster can pay. */
@Injectable()
export class TokensService {
  constructor(
    private readonly tokens: TokensRepository,
    private readonly policies: PolicyWriter,
    private readonly chains: SupportedChains,
    private readonly inspection: TokenInspection,
    private readonly priceApi: PriceApi,
    @Inject(DashboardConfig) private readonly limits: Pick<DashboardConfig, 'maxTokensPerPaymaster'>,
  ) {}

  /** What users can pay with: the paymaster's own tokens, oldest first, then those of its chain that it leaves alone. */
  async list({ id, chainId }: Paymaster): Promise<TokenView[]> {
    const own = await this.tokens.listOf(id);
    const overridden = new Set(own.map(({ address }) => address));
    const left = this.chains.tokensOf(chainId).filter(({ address }) => !overridden.has(address));
    return [
      ...own.map((token) => toTokenView(token, 'paymaster')),
      ...left.map((token) => toTokenView(token, 'chain')),
    ];
  }

  /**
   * A token as the chain describes it, on the owner's terms. The chain is read before the transaction, and only for
   * what could be registered at all.
   *
   * @throws {TokenExistsError} {@link TokenUnfitError} {@link InvalidBodyError} {@link LimitReachedError}
   *   {@link TokensNotTakenError} {@link TokensNotVerifiableError} {@link ChainUnavailableError}
   */
  async register({ paymaster, actor }: Editor, request: RegisterTokenDto): Promise<TokenView> {
    const { id: paymasterId, chainId } = paymaster;
    const address = normalizeAddress(request.address);
    this.refuseInfrastructure(chainId, address);
    const price = toPriceReference(request.price);
    this.refuseUnpriced(chainId, price);
    if (await this.tokens.find(paymasterId, address)) throw new TokenExistsError();
    this.refuseBeyondLimit(1 + (await this.tokens.countOf(paymasterId)));

    const onChain = await this.inspection.describe(chainId, address);
    await this.inspection.assertFairPrice(chainId, { ...onChain, price });
    await this.priceApi.assertKnows(price);
    const terms = { ...standardsOf(TOKEN_TERMS), ...readWritten(TOKEN_TERMS, request) };
    const token = { id: randomUUID(), paymasterId, address, ...onChain, price, ...terms };
    await onUniqueViolation({ tokens_paymaster_id_address_key: () => new TokenExistsError() }, () =>
      this.policies.write({ paymasterId, actor }, async ({ manager, record }) => {
        await this.tokens.insert(manager, token);
        this.refuseBeyondLimit(await this.tokens.countOf(paymasterId, manager));
        record(changeOf(null, token));
      }),
    );
    return toTokenView(token, 'paymaster');
  }

  /**
   * Changes what was sent, leaves the rest; two changes at once do not undo each other.
   *
   * @throws {TokenNotFoundError} {@link InvalidBodyError} {@link TokenUnfitError} {@link TokensNotTakenError}
   *   {@link ChainUnavailableError} {@link ChangedMeanwhileError}
   */
  async update({ paymaster: { id, chainId }, actor }: Editor, request: UpdateTokenDto): Promise<TokenView> {
    const address = normalizeAddress(request.address);
    const known = await this.findOrFail(id, address);
    const price = request.price && toPriceReference(request.price);
    if (price) {
      this.refuseUnpriced(chainId, price);
      await this.inspection.assertFairPrice(chainId, { ...known, price });
      await this.priceApi.assertKnows(price);
    }
    const updated = await this.policies.write({ paymasterId: id, actor }, async ({ manager, record }) => {
      const token = await this.findOrFail(id, address, manager);
      const { address: _named, ...sent } = request;
      refuseIfChangedMeanwhile(toTokenView(token, 'paymaster'), sent);
      const merged = { ...token, ...(price && { price }), ...readWritten(TOKEN_TERMS, request) };
      await this.tokens.update(manager, merged);
      record(changeOf(token, merged));
      return merged;
    });
    return toTokenView(updated, 'paymaster');
  }

  /** @throws {TokenNotFoundError} also for a token of the chain, which is the operator's */
  async delete({ paymaster, actor }: Editor, request: DeleteTokenDto): Promise<void> {
    await this.policies.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      const token = await this.findOrFail(paymaster.id, normalizeAddress(request.address), manager);
      await this.tokens.delete(manager, token.id);
      record(changeOf(token, null));
    });
  }

  /** What would never have a quote there. */
  private refuseUnpriced(chainId: number, price: PriceReference): void {
    const pricing = this.chains.pricingOf(chainId);
    if (!pricing) throw new TokensNotTakenError();
    const least = pricing.minSources ?? 1;
    if (sourcesOf(price).length < least) {
      throw new InvalidBodyError(`price must name at least ${least} of ${PRICE_SOURCE_NAMES} on this chain`);
    }
  }

  private refuseInfrastructure(chainId: number, address: Address): void {
    if (this.chains.isInfrastructure(chainId, address)) {
      throw new InvalidBodyError('address must not be an EntryPoint or a paymaster of this platform');
    }
  }

  private refuseBeyondLimit(count: number): void {
    const limit = this.limits.maxTokensPerPaymaster;
    if (count > limit) throw new LimitReachedError(`A paymaster can have at most ${limit} tokens`);
  }

  private async findOrFail(paymasterId: string, address: Address, manager?: EntityManager): Promise<Token> {
    const token = await this.tokens.find(paymasterId, address, manager);
    if (!token) throw new TokenNotFoundError();
    return token;
  }
}

/** One of both is there. */
function changeOf(before: Token, after: Token | null): RecordedChange;
function changeOf(before: null, after: Token): RecordedChange;
function changeOf(before: Token | null, after: Token | null): RecordedChange {
  const view = (token: Token | null) => token && toTokenView(token, 'paymaster');
  return {
    subject: 'token',
    subjectId: (before ?? after)?.address ?? '',
    before: view(before),
    after: view(after),
  };
}
