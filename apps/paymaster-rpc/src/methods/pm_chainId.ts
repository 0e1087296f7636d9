import { Injectable } from '@nestjs/common';
import type { Caller } from '../callers/caller';
import type { MethodDocument, RpcMethod } from '../json-rpc/rpc-method';
import { hexQuantity } from '../schemas/primitives';

/** The chain of the caller's paymaster, as clients of Candide's dialect ask for it. */
@Injectable()
export class PmChainId implements RpcMethod {
  readonly name = 'pm_chainId';
  readonly dialect = 'standard';
  readonly document = {
    summary: 'The chain id of the paymaster that the API key belongs to.',
    params: [],
    result: { name: 'chainId', schema: hexQuantity },
    refusals: ['request', 'caller'],
  } satisfies MethodDocument;

  handle(_params: readonly unknown[], { chain }: Caller): string {
    return `0x${chain.config.chainId.toString(16)}`;
  }
}
