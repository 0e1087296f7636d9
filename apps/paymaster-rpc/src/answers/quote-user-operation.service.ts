import { Injectable } from '@nestjs/common';
import { isPackedVersion, min, type AccountGasLimits, type Address } from '@paymaster/domain';
import { offerQuote, type OfferedQuote } from '@paymaster/pricing';
import type { Caller } from '../callers/caller';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { DecisionLog } from '../decide/verdict/decision-log';
import { neededOf } from '../hold/operation-key';
import { estimateWhenCovered } from '../decide/limits/estimate-when-covered';
import { assertFee, pickLimits, sentGasLimits } from '../decide/limits/gas-limits';
import { sponsorTerms, type SponsorTerms } from '../decide/terms/sponsor-terms';
import { judgeCost, judgeGas } from '../decide/rules/sponsorship-policy';
import { tokenValidityOf, validityBounds } from '../decide/terms/validity';
import { sayingWhereToDeposit } from '../decide/verdict/where-to-deposit';
import { affordEach, type RatedToken } from '../decide/tokens/afford-each';
import { dearestCosts } from '../decide/tokens/dearest-costs';
import { enabledTokenMode } from '../decide/tokens/enabled-token-mode';
import { tokensToQuote, type NamedTokens, type TokenRequest } from '../decide/tokens/named-tokens';
import { priceEach, type UnavailableToken } from '../decide/tokens/price-each';
import { priceOperation } from '../decide/tokens/price-operation';
import type { QuotedPrice } from '../chains/quotes/live-quotes';
import { judgeTokenPayment } from '../decide/tokens/token-policy';
import type { TokenRegistry } from '../chains/token-registry';
import { tokenTerms } from '../decide/tokens/token-terms';

/** The most that an operation costs in each requested token. */
export interface FeeQuotes {
  /** The contract that the sender approves and pays. */
  readonly paymaster: Address;
  /** In the order of the request. */
  readonly quotes: readonly OfferedQuote[];
  /** Unix seconds on chain. */
  readonly validUntilSeconds: number;
  /** Requested tokens that the paymaster does not have. */
  readonly unsupported: readonly Address[];
  /** Supported tokens without a price that can be believed now, or in which the operation is too dear. */
  readonly unavailable: readonly UnavailableToken[];
}

/** Prices an operation in tokens, from memory: it signs nothing and asks no price source. */
@Injectable()
export class QuoteUserOperation {
  constructor(
    private readonly config: PaymasterRpcConfig,
    private readonly log: DecisionLog,
  ) {}

  /**
   * Supported tokens → policy → prices → gas → quotes, remembered until they expire
   * (docs/architecture/token-mode.md, "A quote").
   *
   * @throws {InvalidParamsError} naming the field; TOKEN_MODE_NOT_ENABLED
   * @throws {SponsorshipRefusedError} when the policy says no
   * @throws {FundingWalletError} when no wallet has the ether that the EntryPoint takes
   * @throws {PriceUnavailableError} when none of the supported tokens has a price
   * @throws {SimulationFailedError} when the operation would fail
   * @throws {DependencyUnavailableError} when the chain is halted or something needed is down
   */
  quote(request: TokenRequest): Promise<FeeQuotes> {
    return sayingWhereToDeposit(request, this.decide(request));
  }

  private async decide(request: TokenRequest): Promise<FeeQuotes> {
    const { caller, operation } = request;
    const { chain, paymaster } = caller;
    const mode = enabledTokenMode(caller, request.field);
    chain.head.assertNotHalted();
    assertFee(operation);
    const bounds = validityBounds(caller, this.config);
    const { validUntilSeconds } = tokenValidityOf(request.expirySeconds, bounds);

    const sponsor = sponsorTerms(caller, operation.entryPointVersion);
    const { supported, unsupported } = selectTokens(mode.registry, request.tokens);
    const { trace: verdict } = await judgeTokenPayment({
      ...{ ...request, ...mode, paymasterContract: sponsor.paymaster, isQuote: true },
    });
    const rates = priceEach(supported, {
      addressOf: ({ listing }) => listing.address,
      price: (token) => ({ token, rate: mode.tokens.prices.rateOf(token.listing) }),
    });
    const answer = { paymaster: sponsor.paymaster, validUntilSeconds, unsupported };
    if (rates.priced.length === 0) return { ...answer, quotes: [], unavailable: [] };

    const isOwnAnswer = isToBeEstimated(request);
    const limits = isOwnAnswer
      ? await estimateWhenCovered(request, sponsor, { isQuote: true, isPaidInToken: true })
      : sentLimits(request, { sponsor, tokens: rates.priced });
    judgeGas({ caller, operation: { ...operation, ...pickLimits(limits) }, trace: verdict, isOwnAnswer }, sponsor);
    const costOf = dearestCosts({ caller, operation, limits, sponsor });
    const { affordable, unavailable: tooDear } = await affordEach(rates.priced, {
      costOf: ({ token }) => costOf(token),
      assertAffordable: async (costWei) => {
        judgeCost({ caller, operation, prechargeWei: costWei, trace: verdict });
        await chain.funding.assertCoversIfKnown(neededOf(request, sponsor, costWei));
      },
    });

    const { sender, nonce } = operation;
    const { paymasterId } = paymaster.snapshot;
    const key = { paymasterId, paymaster: sponsor.paymaster, sender, nonce };
    const liveRates = mode.tokens.liveRates.of(key, bounds.nowSeconds);
    const quotes = priceEach(affordable, {
      addressOf: ({ token }) => token.listing.address,
      price: ({ token, rate }) =>
        offerQuote(priceOperation(liveRates, { token: token.listing, rate, maxCostWei: costOf(token) })),
    });
    const unavailable = [...rates.unavailable, ...tooDear, ...quotes.unavailable];
    mode.tokens.quotes.remember({
      ...{ paymasterId, sender, nonce, validUntilSeconds },
      prices: new Map(quotes.priced.map((quote) => [quote.token.address, promiseOf(quote)])),
    });
    this.log.quoted({ caller, sender, quotes: quotes.priced, unavailable, validUntilSeconds });
    return { ...answer, quotes: quotes.priced, unavailable };
  }
}

/**
 * The interface document's ERC20 request has no `smartAccountInfo`. So an operation without a signature cannot be
 * estimated, and is priced with its own limits. Nothing is signed for a quote, and the final call estimates.
 */
function isToBeEstimated({ calculateGasLimits, operation, account }: TokenRequest): boolean {
  const isEstimable = operation.signature !== '0x' || account !== undefined;
  const bringsLimits = Object.values(pickLimits(operation)).every((limit) => limit > 0n);
  return calculateGasLimits && (isEstimable || !bringsLimits);
}

/**
 * The limits that the client sent. On v0.6 they need room for every way that may be chosen later; otherwise every final
 * call would be refused.
 */
function sentLimits(
  { caller, operation }: TokenRequest,
  { sponsor, tokens }: { sponsor: SponsorTerms; tokens: readonly RatedToken[] },
): AccountGasLimits {
  if (isPackedVersion(sponsor.version)) return sentGasLimits(operation, sponsor);
  const minVerificationGas = leastVerificationGas(tokens, { caller, sponsor });
  return sentGasLimits(operation, { ...sponsor, constants: { ...sponsor.constants, minVerificationGas } });
}

/** The gas that the cheapest way leaves for our `postOp`. */
function leastVerificationGas(
  tokens: readonly RatedToken[],
  { caller, sponsor }: { caller: Caller; sponsor: SponsorTerms },
): bigint {
  const oneOfEachKind = new Map(tokens.map(({ token }) => [token.gasKind, token])).values();
  const needed = [...oneOfEachKind].flatMap((token) =>
    token.ways.map(
      (way) => tokenTerms(sponsor, { caller, token: token.listing, way }).constants.minVerificationGas ?? 0n,
    ),
  );
  return needed.reduce(min);
}

/** The tokens to quote, in order: the requested tokens, or all. */
function selectTokens({ byAddress }: TokenRegistry, named: NamedTokens) {
  const asked = tokensToQuote(named);
  if (asked.length === 0) return { supported: [...byAddress.values()], unsupported: [] };
  return {
    supported: asked.flatMap((address) => byAddress.get(address) ?? []),
    unsupported: asked.filter((address) => !byAddress.has(address)),
  };
}

/** The part of a quote that is remembered, to save memory. */
function promiseOf({ exchangeRate, premiumMillionths, ceilingBaseUnits }: OfferedQuote): QuotedPrice {
  return { exchangeRate, premiumMillionths, ceilingBaseUnits };
}
