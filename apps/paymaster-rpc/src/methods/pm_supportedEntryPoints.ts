import { Injectable } from '@nestjs/common';
import type { Address } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import type { MethodDocument, RpcMethod } from '../json-rpc/rpc-method';
import { address } from '../schemas/primitives';
import { servedVersions } from '../user-operation/named-entry-point';

/** EntryPoints of the caller's chain that have a paymaster, newest first. */
@Injectable()
export class PmSupportedEntryPoints implements RpcMethod {
  readonly name = 'pm_supportedEntryPoints';
  readonly dialect = 'standard';
  readonly document = {
    summary: 'The EntryPoints that operations may be for.',
    params: [],
    result: { name: 'entryPoints', schema: { type: 'array', items: address } },
    refusals: ['request', 'caller'],
  } satisfies MethodDocument;

  handle(_params: readonly unknown[], { chain: { config } }: Caller): readonly Address[] {
    return [...servedVersions(config)].reverse().flatMap((version) => config.entryPoints[version]?.entryPoint ?? []);
  }
}
