import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidParamsError, type KeyGrant } from '@paymaster/domain';
import { clientSite, userAsClient } from '@paymaster/nest-kit';
import { USER_NAME, USER_NAME_RULE } from './client-names';
import { networksOf } from './key-grants';

const USER = 'x-forwarded-user';
const ADDRESS = 'x-client-address';

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

/** The client as which a request counts. */
export interface Asker {
  /**
   * The client in whose shares and caps it counts: the address that asks, or the user whom the owner's server names.
   */
  readonly clientAddress: string | undefined;
  /** Whether shares and caps of clients do not apply, because a server of the owner's asks and names no user. */
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
    if (typeof user === 'string' && isHeaderName(user)) return userAsClient(`${paymasterId} ${user}`);
    throw new InvalidParamsError(
      USER,
      `The header ${USER} must be ${USER_NAME_RULE}, without a comma and without a space at either end.`,
    );
  }
  if (typeof address === 'string' && isIP(address) !== 0 && !address.includes('%')) {
    // The name contains the paymaster: turns are counted over all paymasters, and one owner must not use up the turns
    // of another owner's client.
    return userAsClient(`${paymasterId} ${clientSite(address)}`);
  }
  throw new InvalidParamsError(ADDRESS, `The header ${ADDRESS} must be an IPv4 or IPv6 address.`);
}

/**
 * No comma: Node joins a header that was sent twice by one. If a user sends this header too, and the owner's server adds
 * its own, the request is refused.
 */
function isHeaderName(user: string): boolean {
  return USER_NAME.test(user) && !user.includes(',') && user.trim() === user;
}
