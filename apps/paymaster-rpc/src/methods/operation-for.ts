import type { UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import { detectEntryPointVersion } from '../user-operation/detect-entry-point-version';
import { namedVersion, servedVersions } from '../user-operation/named-entry-point';
import { parseUserOperation } from '../user-operation/parse-user-operation';
import type { RawUserOperation } from '../user-operation/raw-user-operation';

/**
 * The operation of `params[0]`, for the EntryPoint that is named or follows from its fields or the paymaster's version.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function operationFor(
  raw: RawUserOperation,
  { caller, entryPoint }: { caller: Caller; entryPoint: { address: string; field: string } | undefined },
): UserOperation {
  const { config: chain } = caller.chain;
  const { paymasterVersion } = caller.paymaster.snapshot;
  const named = entryPoint && namedVersion(entryPoint.address, chain, entryPoint.field);
  const version = detectEntryPointVersion(raw, { named, served: servedVersions(chain), paymasterVersion });
  const served = chain.entryPoints[version];
  const reserved = served ? [served.entryPoint, served.paymaster] : [];
  return parseUserOperation(raw, { version, reserved, chainId: chain.chainId });
}
