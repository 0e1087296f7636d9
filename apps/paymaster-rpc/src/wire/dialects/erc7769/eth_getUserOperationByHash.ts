import type { ReadOperation } from '../../../bundlers/receipts';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { completeOperationFor, type RawCompleteOperation } from './parse-complete-operation';
import { hashRequest, type HashRequest } from './parse';
import { userOpHash } from './params.schema';

type Found = Readonly<Record<string, unknown>> | null;

/**
 * ERC-7769. An operation that no bundler remembers is read from the chain. Clients of Biconomy read the operation's
 * fields at the top of the answer, and all other clients read them in `userOperation`. So the answer at Biconomy's
 * address has both.
 */
export const ethGetUserOperationByHash: RpcMethod<HashRequest, Found> = {
  name: 'eth_getUserOperationByHash',
  summary: 'An operation that has landed (ERC-7769); null while it is pending or unknown.',
  params: [userOpHash],
  result: { name: 'operation', schema: { type: ['object', 'null'] } },
  refusals: ['request', 'caller', 'bundlerUse'],

  parse: hashRequest,

  async answer({ caller, userOpHash: hash }, { bundling }) {
    const read: ReadOperation = (raw, address) =>
      completeOperationFor(raw as RawCompleteOperation, { caller, entryPoint: { address, field: 'entryPoint' } });
    const found = await bundling.byHash(caller, hash, read);
    return found && caller.isBiconomysAddress ? { ...found.userOperation, ...found } : found;
  },
};
