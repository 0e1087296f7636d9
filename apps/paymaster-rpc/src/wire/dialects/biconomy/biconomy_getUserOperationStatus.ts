import type { OperationStatus } from '../../../bundlers/bundling.service';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { hashRequest, type HashRequest } from '../erc7769/parse';
import { userOpHash } from '../erc7769/params.schema';

type BiconomyStatus = Readonly<Record<string, unknown>>;

/**
 * The state of an operation. `waitForTxHash` of @biconomy/account waits for an answer with a transaction, and Nexus
 * clients wait for `CONFIRMED`.
 */
export const biconomyGetUserOperationStatus: RpcMethod<HashRequest, BiconomyStatus> = {
  name: 'biconomy_getUserOperationStatus',
  summary: "Where an operation is, in the words of Biconomy's bundlers.",
  params: [userOpHash],
  result: {
    name: 'status',
    schema: {
      title: 'BiconomyOperationStatus',
      type: 'object',
      required: ['state'],
      properties: {
        state: { enum: ['BUNDLER_MEMPOOL', 'SUBMITTED', 'CONFIRMED', 'DROPPED_FROM_BUNDLER_MEMPOOL', 'REJECTED'] },
        transactionHash: { type: 'string' },
        message: { type: 'string' },
        userOperationReceipt: { type: 'object' },
      },
    },
  },
  refusals: ['request', 'caller', 'bundlerUse'],

  parse: hashRequest,

  answer: async ({ caller, userOpHash: hash }, { bundling }) =>
    present(await bundling.status(caller, hash), { isOfV2: caller.isBiconomysAddress }),
};

/**
 * @param isOfV2 whether the request came to the older address, `/api/v2/{chainId}/{apiKey}`. Clients of the newer
 *   addresses end their wait at `REJECTED`, but not at `DROPPED_FROM_BUNDLER_MEMPOOL`.
 */
function present(
  { state, transactionHash, receipt }: OperationStatus,
  { isOfV2 }: { isOfV2: boolean },
): BiconomyStatus {
  if (receipt) return { state: 'CONFIRMED', message: 'landed', transactionHash, userOperationReceipt: receipt };
  if (state === 'submitted' && transactionHash) return { state: 'SUBMITTED', transactionHash };
  // Unknown is not an error: an error would end the client's wait, and another gateway may have sent the operation.
  if (state !== 'dropped') return { state: 'BUNDLER_MEMPOOL' };
  const dropped = 'The bundler has dropped the operation: it did not land.';
  return isOfV2 ? { state: 'DROPPED_FROM_BUNDLER_MEMPOOL', message: dropped } : { state: 'REJECTED', message: dropped };
}
