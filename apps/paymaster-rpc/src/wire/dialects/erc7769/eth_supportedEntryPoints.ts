import type { Address } from '@paymaster/domain';
import { getAddress } from 'ethers';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { address } from '../common/primitives';
import { plainRequest, type PlainRequest } from '../common/plain-request';

/** ERC-7769: the EntryPoints whose operations the gateway sends. */
export const ethSupportedEntryPoints: RpcMethod<PlainRequest, readonly Address[]> = {
  name: 'eth_supportedEntryPoints',
  summary: 'The EntryPoints whose operations the gateway takes (ERC-7769).',
  params: [],
  result: { name: 'entryPoints', schema: { type: 'array', items: address } },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer: ({ caller: { chain } }) =>
    Object.entries(chain.config.entryPoints)
      .filter(([version]) => chain.bundlers.of(version as '0.6').length > 0)
      .map(([, { entryPoint }]) => getAddress(entryPoint) as Address),
};
