import type { ChainConfig } from '@paymaster/chain';
import {
  ENTRY_POINT_VERSIONS,
  InvalidParamsError,
  PACKED_VERSIONS,
  type EntryPointVersion,
  type PaymasterVersion,
} from '@paymaster/domain';

/** Versions with an EntryPoint and a paymaster on the chain, oldest first. */
export function servedVersions({ entryPoints }: ChainConfig): readonly EntryPointVersion[] {
  return ENTRY_POINT_VERSIONS.filter((version) => entryPoints[version]);
}

/**
 * By the version that the paymaster was registered for: the order in which EntryPoint versions are tried when nothing
 * tells which one is meant. v0.7 comes before the later versions of its shape, because most such operations are for
 * v0.7.
 */
export const UNNAMED_ORDER: Readonly<Record<PaymasterVersion, readonly EntryPointVersion[]>> = {
  '1.0.0': ['0.6', ...PACKED_VERSIONS],
  '1.1.0': ['0.6', ...PACKED_VERSIONS],
  '2.0.0': [...PACKED_VERSIONS, '0.6'],
};

/** The EntryPoint of a request that has no operation and names no EntryPoint. */
export function defaultVersion(chain: ChainConfig, paymasterVersion: PaymasterVersion): EntryPointVersion {
  const served = servedVersions(chain);
  // chains.json has at least one EntryPoint for a chain.
  return UNNAMED_ORDER[paymasterVersion].find((version) => served.includes(version)) as EntryPointVersion;
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
