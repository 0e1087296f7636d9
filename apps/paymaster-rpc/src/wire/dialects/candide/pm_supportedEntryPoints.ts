import type { Address } from '@paymaster/domain';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { servedVersions } from '../../user-operation/named-entry-point';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { address } from '../common/primitives';

/** EntryPoints of the caller's chain that have a paymaster, newest first. */
export const pmSupportedEntryPoints: RpcMethod<PlainRequest, readonly Address[]> = {
  name: 'pm_supportedEntryPoints',
  summary: 'The EntryPoints that operations may be for.',
  params: [],
  result: { name: 'entryPoints', schema: { type: 'array', items: address } },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer({ caller }) {
    const { config } = caller.chain;
    return [...servedVersions(config)].reverse().flatMap((version) => config.entryPoints[version]?.entryPoint ?? []);
  },
};
