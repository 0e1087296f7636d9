import type { ChainConfig } from '@paymaster/chain';
import type { UserOperation } from '@paymaster/domain';
import { detectEntryPointVersion } from '../user-operation/detect-entry-point-version';
import { namedVersion, servedVersions } from '../user-operation/named-entry-point';
import { parseUserOperation } from '../user-operation/parse-user-operation';
import type { RawUserOperation } from '../user-operation/raw-user-operation';

/**
 * The operation of `params[0]`, for the EntryPoint that is named or follows from its fields.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function operationFor(
  raw: RawUserOperation,
  { chain, entryPoint }: { chain: ChainConfig; entryPoint: { address: string; field: string } | undefined },
): UserOperation {
  const named = entryPoint && namedVersion(entryPoint.address, chain, entryPoint.field);
  const version = detectEntryPointVersion(raw, { named, served: servedVersions(chain) });
  const served = chain.entryPoints[version];
  return parseUserOperation(raw, { version, reserved: served ? [served.entryPoint, served.paymaster] : [] });
}
