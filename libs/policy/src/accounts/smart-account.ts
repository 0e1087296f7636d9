import { factoryOf, type Hex, type UserOperation } from '@paymaster/domain';
import type { AccountFamily, ClientName, ClientVersion } from './account-family';
import * as families from './families';

/** `smartAccountInfo`: what the client says its account is. */
export interface SmartAccountInfo {
  readonly name: string;
  readonly version: string;
}

const NAMES: readonly ClientName[] = Object.values(families)
  .flatMap(({ clientName }: AccountFamily) => clientName ?? [])
  .sort((one, other) => (one.name < other.name ? -1 : 1));

/** The names a client may say. */
export const SMART_ACCOUNT_NAMES: readonly string[] = NAMES.map(({ name }) => name);

/** Further names that clients are known to say. */
export const MISSPELT_SMART_ACCOUNT_NAMES: readonly string[] = NAMES.flatMap(({ misspelt = [] }) => misspelt);

/** The name and its versions, for a name or a misspelt one; undefined for any other. */
export function smartAccountOf(said: string): { name: string; versions: readonly string[] } | undefined {
  const found = NAMES.find(({ name, misspelt }) => name === said || misspelt?.includes(said));
  return found && { name: found.name, versions: Object.keys(found.versions) };
}

/** By factory: the signature that its accounts have, as far as gas goes. */
const STUB_BY_FACTORY: ReadonlyMap<string, Hex> = new Map(
  Object.values(families).flatMap(({ factories = [], clientName, stubSignature }: AccountFamily) =>
    factories.flatMap(({ address, clientVersion }): [string, Hex][] => {
      const version = clientVersion ?? Object.keys(clientName?.versions ?? {})[0] ?? '';
      const stub = clientName?.versions[version]?.stubSignature ?? stubSignature;
      return stub ? [[address, stub]] : [];
    }),
  ),
);

/**
 * The signature that the account has, as far as gas goes; undefined where nobody says what it is. A factory knows it
 * better than a client, which may name the wrong account, or none.
 */
export function stubSignatureOf(operation: UserOperation, account: SmartAccountInfo | undefined): Hex | undefined {
  const factory = factoryOf(operation)?.factory.toLowerCase();
  return STUB_BY_FACTORY.get(factory ?? '') ?? (account && clientVersionOf(account)?.stubSignature);
}

/** What is known of an account that a client names. */
export function clientVersionOf(account: SmartAccountInfo): ClientVersion | undefined {
  const versions = NAMES.find(({ name }) => name === account.name)?.versions;
  return versions && Object.hasOwn(versions, account.version) ? versions[account.version] : undefined;
}
