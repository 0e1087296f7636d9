import type { RpcMethod } from '../../json-rpc/rpc-method';
import { hashRequest, type HashRequest } from './parse';
import { userOpHash } from './params.schema';

type Found = Readonly<Record<string, unknown>> | null;

/**
 * ERC-7769. Clients of Biconomy read the operation's fields at the top of the answer, all others in `userOperation`: on
 * Biconomy's address it has both.
 */
export const ethGetUserOperationByHash: RpcMethod<HashRequest, Found> = {
  name: 'eth_getUserOperationByHash',
  summary: 'An operation that has landed (ERC-7769); null while it is pending or unknown.',
  params: [userOpHash],
  result: { name: 'operation', schema: { type: ['object', 'null'] } },
  refusals: ['request', 'caller', 'bundlerUse'],

  parse: hashRequest,

  async answer({ caller, userOpHash: hash }, { bundling }) {
    const found = await bundling.byHash(caller, hash);
    if (!found || !caller.isBiconomysAddress) return found;
    return { ...(found['userOperation'] as object | undefined), ...found };
  },
};
