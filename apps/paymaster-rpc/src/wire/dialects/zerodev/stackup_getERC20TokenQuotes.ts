import { InvalidParamsError } from '@paymaster/domain';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import type { TokenRequest } from '../../../decide/tokens/named-tokens';
import { answered, type NestedRequest } from '../common/nested-operation';
import { zerodevParams } from './params.schema';
import { parseQuote } from './parse';

interface TokenQuote {
  /** Token base units, as decimal text. */
  readonly maxGasCostToken: string;
  readonly tokenDecimals: string;
}

/** The most that an operation costs in a token. */
export const stackupGetErc20TokenQuotes: RpcMethod<NestedRequest<TokenRequest>, TokenQuote> = {
  name: 'stackup_getERC20TokenQuotes',
  summary: 'The most that an operation costs in a token.',
  params: zerodevParams('quote'),
  result: {
    name: 'quote',
    schema: {
      type: 'object',
      required: ['maxGasCostToken', 'tokenDecimals'],
      properties: {
        maxGasCostToken: { type: 'string', pattern: '^[0-9]+$', description: 'token base units' },
        tokenDecimals: { type: 'string', pattern: '^[0-9]+$' },
      },
    },
  },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'token', 'chain'],

  parse: parseQuote,

  async answer(request, operations) {
    const { quotes, unsupported, unavailable } = await answered(request, operations.quote(request));
    const [quote] = quotes;
    if (quote) {
      return { maxGasCostToken: quote.ceilingBaseUnits.toString(), tokenDecimals: String(quote.token.decimals) };
    }
    const why =
      unsupported.length > 0 ? 'the paymaster does not take it' : (unavailable[0]?.reason ?? 'it has no price');
    const field = 'params[0].tokenAddress';
    throw new InvalidParamsError(field, `${field} is not supported: ${why}.`, 'TOKEN_NOT_SUPPORTED');
  },

  answeredWith: () => 'quoted',
};
