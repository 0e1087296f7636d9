import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidParamsError, type KeyGrant } from '@paymaster/domain';
import { clientSite, userAsClient } from '@paymaster/nest-kit';
import { networksOf } from './key-grants';

const USER = 'x-forwarded-user';
const ADDRESS = 'x-client-address';
/**
 * A header that was sent twice is joined by a comma. If the app only added its own header, its user could name himself.
 */
const USER_NAME = /^(?! )[\x20-\x2b\x2d-\x7e]{1,128}(?<! )$/;

/** The parts of a request that may name its client. */
export interface Forwarding {
  readonly headers?: IncomingHttpHeaders | undefined;
  readonly clientAddress: string | undefined;
}

/** What the owner set for requests with a key. */
export interface Trust {
  readonly kind: KeyGrant['kind'] | undefined;
  /** Addresses and networks of his servers, as he named them. */
  readonly servers: readonly string[];
}

/** The client for which a request counts. */
export interface Asker {
  /**
   * The client in whose shares and caps it counts: the address that asks, or the user whom the owner's server names.
   */
  readonly clientAddress: string | undefined;
  /** True: a server of the owner's asks and names no user, so shares and caps of clients do not apply. */
  readonly isUncounted: boolean;
}

/** @throws {InvalidParamsError} naming the header that is wrong */
export function askerOf(request: Forwarding, { kind, servers }: Trust, paymasterId: string): Asker {
  const { clientAddress } = request;
  const isServer = kind === 'SECRET' || (servers.length > 0 && networksOf(servers).has(clientAddress));
  if (!isServer) return { clientAddress, isUncounted: false };
  const user = forwardedClient(request, paymasterId);
  return { clientAddress: user ?? clientAddress, isUncounted: user === undefined };
}

/**
 * The user whom the owner's server names, by name or address, so that its users do not count as one client. The headers
 * of other clients are not read, because they could name anybody.
 *
 * @returns undefined when the request names no user
 * @throws {InvalidParamsError} naming the header that is wrong: if it were ignored, all users would count as one client
 */
function forwardedClient({ headers = {} }: Forwarding, paymasterId: string): string | undefined {
  const { [USER]: user, [ADDRESS]: address } = headers;
  if (user === undefined && address === undefined) return undefined;
  if (user !== undefined && address !== undefined) {
    throw new InvalidParamsError(ADDRESS, `The header ${ADDRESS} must not be sent beside ${USER}.`);
  }
  if (user !== undefined) {
    if (typeof user === 'string' && USER_NAME.test(user)) return userAsClient(`${paymasterId} ${user}`);
    throw new InvalidParamsError(USER, `The header ${USER} must be 1 to 128 printable characters, without a comma.`);
  }
  if (typeof address === 'string' && isIP(address) !== 0 && !address.includes('%')) {
    // The name contains the paymaster: turns are counted over all paymasters, and one owner must not use up the turns
    // of another owner's client.
    return userAsClient(`${paymasterId} ${clientSite(address)}`);
  }
  throw new InvalidParamsError(ADDRESS, `The header ${ADDRESS} must be an IPv4 or IPv6 address.`);
}
