import type { JsonSchema } from '../../json-rpc/rpc-method';
import { paymasterDataResultSchema } from '../common/paymaster-data';
import { address, bytes, hexQuantity } from '../common/primitives';

/** What `pm_supportedERC20Tokens` answers, in the words of Candide's clients. */
export const supportedTokensResultSchema: JsonSchema = {
  type: 'object',
  required: ['paymasterMetadata', 'tokens'],
  properties: {
    paymasterMetadata: {
      type: 'object',
      required: ['name', 'description', 'icons', 'address', 'sponsoredEventTopic', 'dummyPaymasterAndData'],
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        icons: { type: 'array', items: { type: 'string' } },
        address,
        sponsoredEventTopic: bytes,
        dummyPaymasterAndData: {
          oneOf: [bytes, paymasterDataResultSchema],
          description:
            'a stub of a sponsorship, for estimation; bytes with EntryPoint v0.6, the fields of the paymaster with later ones',
        },
      },
    },
    tokens: {
      type: 'array',
      description: 'those that have a price now',
      items: {
        type: 'object',
        required: ['name', 'symbol', 'address', 'decimals', 'exchangeRate'],
        properties: {
          name: { type: 'string' },
          symbol: { type: 'string' },
          address,
          decimals: { type: 'integer' },
          exchangeRate: { ...hexQuantity, description: 'token base units per 1e18 wei, the premium included' },
        },
      },
    },
  },
};
