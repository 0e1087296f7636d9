import { ZERO_ADDRESS, type TokenListing } from '@paymaster/domain';
import { exposureClaims, type BudgetClaim, type Ledger } from '@paymaster/ledger';
import type { AskedFor, GatewayQuestions, TokenPrices } from '@paymaster/messaging';
import { formatUsd, type PriceLook } from '@paymaster/pricing';
import type { ServedChains } from '../chains/served-chains';
import type { PolicySnapshots } from '../snapshots/policy-snapshots.service';
import { tokenRegistry } from '../chains/token-registry';

const NONE: TokenPrices = { nativeUsd: null, tokens: [] };

export interface PricingParts {
  readonly chains: ServedChains;
  readonly snapshots: Pick<PolicySnapshots, 'resolve'>;
  readonly ledger: Pick<Ledger, 'peek'>;
}

/**
 * The prices of a paymaster's tokens, from memory, and what its wallet may lose by each token. The list is empty for a
 * paymaster that gateways do not know.
 *
 * @throws {DependencyUnavailableError}
 */
export async function tokenPrices(
  { chains, snapshots, ledger }: PricingParts,
  { chainId, apiKeyIndex }: GatewayQuestions['prices'],
  { requestId, deadlineMs }: AskedFor,
): Promise<TokenPrices> {
  const paymaster = await snapshots.resolve({ apiKeyIndex, chainIds: [chainId], requestId, deadlineMs });
  const { config, tokens } = chains.get(chainId);
  if (!paymaster || !tokens) return NONE;
  const { byAddress, own } = tokenRegistry(paymaster, config);
  const { paymasterId, fundingWallet } = paymaster.snapshot;
  tokens.prices.watch(paymasterId, own);
  const listings = [...byAddress.values()].map(({ listing }) => listing);
  const caps = listings.map(({ exposureCapWei }) => exposureCapWei ?? config.bounds.tokenExposureCapWei);
  const claims = listings.map(({ address: token }, at): BudgetClaim => {
    const wallet = fundingWallet ?? ZERO_ADDRESS;
    const of = { chainId, wallet, token, sender: ZERO_ADDRESS, prechargeWei: 0n, senderCapWei: 0n };
    return exposureClaims({ ...of, tokenCapWei: caps[at] ?? 0n })[0];
  });
  const exposed = await ledger.peek(claims);
  const nativeUsdE36 = tokens.prices.look(null).usdE36;
  return {
    nativeUsd: nativeUsdE36 === null ? null : formatUsd(nativeUsdE36),
    tokens: listings.map((listing, at) => ({
      ...shown(listing),
      ...priceOf(tokens.prices.look(listing)),
      exposedWei: (exposed[at]?.usedAmount ?? 0n).toString(),
      exposureCapWei: (caps[at] ?? 0n).toString(),
    })),
  };
}

function shown({ address, symbol, premiumMillionths }: TokenListing) {
  return { address, symbol, premiumMillionths };
}

function priceOf({ usdE36, problem, ageSeconds, sources, leftOut }: PriceLook) {
  return { usd: usdE36 === null ? null : formatUsd(usdE36), problem, ageSeconds, sources, leftOut };
}
