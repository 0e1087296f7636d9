import type { Address } from '@paymaster/domain';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { tokenModeOf } from '../../../decide/tokens/enabled-token-mode';
import { listTokens } from '../../../decide/tokens/list-tokens';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { address } from '../common/primitives';

interface SupportedToken {
  readonly name: string;
  readonly token: Address;
}

/** The tokens that fees can be paid in now, by name and address. */
export const pimlicoGetSupportedTokens: RpcMethod<PlainRequest, readonly SupportedToken[]> = {
  name: 'pimlico_getSupportedTokens',
  summary: 'The tokens that fees can be paid in now.',
  params: [],
  result: {
    name: 'tokens',
    schema: {
      type: 'array',
      items: { type: 'object', required: ['name', 'token'], properties: { name: { type: 'string' }, token: address } },
    },
  },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer({ caller }) {
    const mode = tokenModeOf(caller);
    return (mode ? listTokens(mode) : []).map(({ token }) => ({ name: token.symbol, token: token.address }));
  },
};
