import type { OperationStatus } from '../../../bundlers/bundling.service';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { hashRequest, type HashRequest } from '../erc7769/parse';
import { userOpHash } from '../erc7769/params.schema';

interface PimlicoStatus {
  readonly status: string;
  readonly transactionHash: string | null;
}

const WORDS: Readonly<Record<OperationStatus['state'], string>> = {
  ...{ unknown: 'not_found', pool: 'not_submitted', submitted: 'submitted', dropped: 'rejected' },
};

/** The state of an operation. An unknown operation has the state `not_found`, and is never an error. */
export const pimlicoGetUserOperationStatus: RpcMethod<HashRequest, PimlicoStatus> = {
  name: 'pimlico_getUserOperationStatus',
  summary: "Where an operation is, in the words of Pimlico's bundler.",
  params: [userOpHash],
  result: {
    name: 'status',
    schema: {
      title: 'PimlicoOperationStatus',
      type: 'object',
      required: ['status', 'transactionHash'],
      properties: {
        status: { enum: ['not_found', 'not_submitted', 'submitted', 'rejected', 'included', 'reverted'] },
        transactionHash: { type: ['string', 'null'] },
      },
    },
  },
  refusals: ['request', 'caller', 'bundlerUse'],

  parse: hashRequest,

  async answer({ caller, userOpHash: hash }, { bundling }) {
    const { state, transactionHash = null, receipt } = await bundling.status(caller, hash);
    if (!receipt) return { status: WORDS[state], transactionHash };
    return { status: receipt.receipt['status'] === '0x0' ? 'reverted' : 'included', transactionHash };
  },
};
