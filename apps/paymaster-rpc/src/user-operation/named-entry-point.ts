import type { ChainConfig } from '@paymaster/chain';
import { ENTRY_POINT_VERSIONS, InvalidParamsError, type EntryPointVersion } from '@paymaster/domain';

/** Versions with an EntryPoint and a paymaster on the chain, oldest first. */
export function servedVersions({ entryPoints }: ChainConfig): readonly EntryPointVersion[] {
  return ENTRY_POINT_VERSIONS.filter((version) => entryPoints[version]);
}

/**
 * The version of an EntryPoint that a request names by address.
 *
 * @param field where the address stands, for the error
 * @throws {InvalidParamsError} when it is not served on this chain
 */
export function namedVersion(address: string, chain: ChainConfig, field: string): EntryPointVersion {
  const wanted = address.toLowerCase();
  const served = servedVersions(chain);
  const found = served.find((version) => chain.entryPoints[version]?.entryPoint === wanted);
  if (found) return found;
  const list = served.map((version) => `${chain.entryPoints[version]?.entryPoint} (v${version})`).join(', ');
  throw new InvalidParamsError(
    field,
    `${field} is not an EntryPoint served on chain ${chain.chainId}; served: ${list}.`,
  );
}
