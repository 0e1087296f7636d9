import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidParamsError, type KeyGrant } from '@paymaster/domain';
import { clientSite, userAsClient } from '@paymaster/nest-kit';

const USER = 'x-forwarded-user';
const ADDRESS = 'x-client-address';
/** A comma joins a header that was sent twice: an app that only adds its own would let the user name himself. */
const USER_NAME = /^(?! )[\x20-\x2b\x2d-\x7e]{1,128}(?<! )$/;

/** What of a request may name its client. */
export interface Forwarding {
  readonly headers?: IncomingHttpHeaders | undefined;
  readonly clientAddress: string | undefined;
}

/**
 * The client whose shares and caps a request counts in. An app that proxies its users with a secret key names the user
 * or his address; else all of them would be one client. Everybody could name anybody with any other key, so there the
 * headers are not even read.
 *
 * @throws {InvalidParamsError} naming the header that is wrong: without it the users would count as one
 */
export function forwardedClient(
  { headers = {}, clientAddress }: Forwarding,
  { kind }: KeyGrant,
  paymasterId: string,
): string | undefined {
  if (kind !== 'SECRET') return clientAddress;
  const { [USER]: user, [ADDRESS]: address } = headers;
  if (user === undefined && address === undefined) return clientAddress;
  if (user !== undefined && address !== undefined) {
    throw new InvalidParamsError(ADDRESS, `The header ${ADDRESS} must not be sent beside ${USER}.`);
  }
  if (user !== undefined) {
    if (typeof user === 'string' && USER_NAME.test(user)) return userAsClient(`${paymasterId} ${user}`);
    throw new InvalidParamsError(USER, `The header ${USER} must be 1 to 128 printable characters, without a comma.`);
  }
  if (typeof address === 'string' && isIP(address) !== 0 && !address.includes('%')) {
    // Turns are counted over all paymasters: one owner must not use up those of another owner's client.
    return userAsClient(`${paymasterId} ${clientSite(address)}`);
  }
  throw new InvalidParamsError(ADDRESS, `The header ${ADDRESS} must be an IPv4 or IPv6 address.`);
}
