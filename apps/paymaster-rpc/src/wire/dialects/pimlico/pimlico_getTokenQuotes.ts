import {
  ceilDiv,
  isPackedVersion,
  normalizeAddress,
  type Address,
  type Hex,
  type TokenListing,
} from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { microUsdPerNativeIfKnown } from '../../../chains/native-price';
import { sponsorTerms, type SponsorTerms } from '../../../decide/terms/sponsor-terms';
import { tokenModeOf } from '../../../decide/tokens/enabled-token-mode';
import { listTokens } from '../../../decide/tokens/list-tokens';
import { tokenTerms } from '../../../decide/tokens/token-terms';
import { namedVersion } from '../../user-operation/named-entry-point';
import { assertKeysChain } from '../common/keys-chain';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { address, hexQuantity, quantity } from '../common/primitives';

/** As many as any wallet offers its user. */
const MAX_TOKENS = 100;

const FEE_MARKUP_DENOMINATOR = 1_000_000n;

/**
 * EntryPoint v0.6 counts `verificationGasLimit` three times in its precharge, and clients count it once. They add this
 * gas to make up for it; it covers a limit of 750,000.
 */
const V06_POST_OP_GAS = 1_500_000n;

interface TokenQuote {
  readonly paymaster: Address;
  readonly token: Address;
  /** What the client adds to the sum of its limits; gas. */
  readonly postOpGas: Hex;
  /** Token base units per 1e18 wei, with premium and fee. */
  readonly exchangeRate: Hex;
  /** Of a whole native coin; micro-USD. */
  readonly exchangeRateNativeToUsd: Hex;
}

/** Rates by which a client works out how much of a token it approves: `[{ tokens }, entryPoint, chainId]`. */
export const pimlicoGetTokenQuotes: RpcMethod<PlainRequest, { readonly quotes: readonly TokenQuote[] }> = {
  name: 'pimlico_getTokenQuotes',
  summary: 'The rates of tokens that fees can be paid in now. A token that is not supported has no quote.',
  params: [
    {
      name: 'tokens',
      required: true,
      schema: {
        type: 'object',
        description: 'an object with tokens',
        required: ['tokens'],
        properties: {
          tokens: {
            type: 'array',
            maxItems: MAX_TOKENS,
            items: address,
            description: `a list of at most ${MAX_TOKENS} token addresses`,
          },
        },
      },
    },
    { name: 'entryPoint', required: true, schema: address },
    { name: 'chainId', required: false, schema: quantity },
  ],
  result: {
    name: 'tokenQuotes',
    schema: {
      type: 'object',
      required: ['quotes'],
      properties: {
        quotes: {
          type: 'array',
          items: {
            type: 'object',
            required: ['paymaster', 'token', 'postOpGas', 'exchangeRate', 'exchangeRateNativeToUsd'],
            properties: {
              ...{ paymaster: address, token: address },
              postOpGas: { ...hexQuantity, description: 'gas to add to the sum of the limits' },
              exchangeRate: { ...hexQuantity, description: 'token base units per 1e18 wei, premium and fee included' },
              exchangeRateNativeToUsd: { ...hexQuantity, description: 'of a whole native coin, in 1e-6 USD' },
            },
          },
        },
      },
    },
  },
  refusals: ['request', 'caller', 'wallet', 'token', 'chain'],

  parse: plainRequest,

  answer({ caller, params }) {
    const [{ tokens }, entryPoint, chainId] = params as [{ tokens: string[] }, string, string | number | undefined];
    if (chainId !== undefined) assertKeysChain(chainId, { caller, field: 'params[2]' });
    const version = namedVersion(entryPoint, caller.chain.config, 'params[1]');
    const mode = tokenModeOf(caller);
    const sponsor = sponsorTerms(caller, version);
    const { paymaster, feeMarkupMillionths } = sponsor;
    const asked = new Set(tokens.map((token) => normalizeAddress(token)));
    const usd = microUsdPerNativeIfKnown(caller.chain);
    if (!mode || usd === undefined) return { quotes: [] };
    const quotes = listTokens(mode)
      .filter(({ token }) => asked.has(token.address))
      .map(({ token, exchangeRateWithPremium }) => ({
        ...{ paymaster, token: token.address, postOpGas: hex(postOpGasOf(sponsor, { caller, token })) },
        exchangeRate: hex(ceilDiv(exchangeRateWithPremium * feeMarkupMillionths, FEE_MARKUP_DENOMINATOR)),
        exchangeRateNativeToUsd: hex(usd),
      }));
    return { quotes };
  },
};

/**
 * The gas of the way to charge that takes the most gas, because the clients use two ways: the first time they put an
 * `approve` into the batch, and the next time they have an allowance.
 */
function postOpGasOf(sponsor: SponsorTerms, { caller, token }: { caller: Caller; token: TokenListing }): bigint {
  const needed = token.chargingWays.map((way) => {
    const { constants } = tokenTerms(sponsor, { caller, token, way });
    return constants.unaccountedGas + constants.paymasterPostOpGasLimit + constants.paymasterVerificationGasLimit;
  });
  const most = needed.reduce((highest, gas) => (gas > highest ? gas : highest), 0n);
  return isPackedVersion(sponsor.version) ? most : most + V06_POST_OP_GAS;
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
