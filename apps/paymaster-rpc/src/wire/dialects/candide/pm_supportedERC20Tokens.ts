import type { Hex } from '@paymaster/domain';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import type { SponsorData } from '../../../decide/terms/sponsor-data';
import { sponsorTerms } from '../../../decide/terms/sponsor-terms';
import { tokenModeOf } from '../../../decide/tokens/enabled-token-mode';
import { listTokens } from '../../../decide/tokens/list-tokens';
import { defaultVersion, namedVersion } from '../../user-operation/named-entry-point';
import { presentPaymasterData, signatureInData, type PaymasterDataResult } from '../common/paymaster-data';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { address } from '../common/primitives';
import { supportedTokensResultSchema } from './results.schema';

/** `UserOperationPaidInToken(bytes32,address,address,address,uint256,uint256)`, as it is found in the chain's logs. */
export const PAID_IN_TOKEN_TOPIC: Hex = '0x9f42b124c929f773cf4026e76727943aad59f15f54748704f77d8978952fecf6';

/** The answer in the words of Candide's clients. */
export interface SupportedTokensResult {
  readonly paymasterMetadata: {
    readonly name: string;
    readonly description: string;
    readonly icons: readonly string[];
    readonly address: Hex;
    readonly sponsoredEventTopic: Hex;
    /**
     * The stub of sponsorship mode: bytes on v0.6, the paymaster's fields on later EntryPoints. Clients estimate with
     * it in both modes. With a stub of token mode, `postOp` would take tokens even from a sponsored sender, who may
     * have no tokens.
     */
    readonly dummyPaymasterAndData: Hex | PaymasterDataResult;
  };
  readonly tokens: ReadonlyArray<{
    readonly name: string;
    readonly symbol: string;
    readonly address: Hex;
    readonly decimals: number;
    readonly exchangeRate: Hex;
  }>;
}

/** The tokens that fees can be paid in now: `[entryPoint]`, or nothing. */
export const pmSupportedERC20Tokens: RpcMethod<PlainRequest, SupportedTokensResult> = {
  name: 'pm_supportedERC20Tokens',
  summary: 'The tokens that fees can be paid in now, with their rates, premium included.',
  params: [{ name: 'entryPoint', required: false, schema: address }],
  result: { name: 'supportedTokens', schema: supportedTokensResultSchema },
  refusals: ['request', 'caller', 'wallet'],

  parse: plainRequest,

  answer({ caller, params: [entryPoint] }) {
    const { paymaster, chain } = caller;
    const mode = tokenModeOf(caller);
    const version =
      typeof entryPoint === 'string'
        ? namedVersion(entryPoint, chain.config, 'params[0]')
        : defaultVersion(chain.config, paymaster.snapshot.paymasterVersion);
    const sponsor = sponsorTerms(caller, version);
    const priced = mode ? listTokens(mode) : [];
    return {
      paymasterMetadata: {
        name: paymaster.snapshot.name,
        description: `Gas paid in tokens on ${chain.config.name}`,
        icons: [],
        address: sponsor.paymaster,
        sponsoredEventTopic: PAID_IN_TOKEN_TOPIC,
        dummyPaymasterAndData: dummyData(sponsor.stub),
      },
      tokens: priced.map(({ token, exchangeRateWithPremium }) => ({
        name: token.symbol,
        symbol: token.symbol,
        address: token.address,
        decimals: token.decimals,
        exchangeRate: `0x${exchangeRateWithPremium.toString(16)}`,
      })),
    };
  },
};

function dummyData(stub: SponsorData): Hex | PaymasterDataResult {
  const data = signatureInData(presentPaymasterData(stub));
  return data.paymasterAndData ?? data;
}
