import type { OperationStatus } from '../../../bundlers/bundling.service';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { hashRequest, type HashRequest } from '../erc7769/parse';
import { userOpHash } from '../erc7769/params.schema';

type RundlerStatus = Readonly<Record<string, unknown>>;

const WORDS: Readonly<Record<OperationStatus['state'], string>> = {
  ...{ unknown: 'unknown', pool: 'pending', submitted: 'pendingBundle', dropped: 'unknown' },
};

/** The state of an operation. */
export const rundlerGetUserOperationStatus: RpcMethod<HashRequest, RundlerStatus> = {
  name: 'rundler_getUserOperationStatus',
  summary: "Where an operation is, in the words of Alchemy's bundler.",
  params: [userOpHash],
  result: {
    name: 'status',
    schema: {
      title: 'RundlerOperationStatus',
      type: 'object',
      required: ['status'],
      properties: { status: { enum: ['unknown', 'pending', 'pendingBundle', 'mined'] } },
    },
  },
  refusals: ['request', 'caller', 'bundlerUse'],

  parse: hashRequest,

  async answer({ caller, userOpHash: hash }, { bundling }) {
    const { state, transactionHash, receipt } = await bundling.status(caller, hash);
    if (receipt) return { status: 'mined', receipt };
    return transactionHash ? { status: WORDS[state], txHash: transactionHash } : { status: WORDS[state] };
  },
};
