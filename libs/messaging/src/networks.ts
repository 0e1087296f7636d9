import { isIPv4, isIPv6 } from 'node:net';

/**
 * Whether a text is an IPv4 or IPv6 address, or a CIDR block of them. IPv4 is written as IPv4: a block inside of
 * `::ffff:0:0/96` would match nobody.
 */
export function isNetwork(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 64) return false;
  const [address = '', bits, ...more] = value.split('/');
  const isV4 = isIPv4(address);
  if (more.length > 0 || !(isV4 || (isIPv6(address) && !/^::ffff:|%/i.test(address)))) return false;
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (isV4 ? 32 : 128));
}

export const MAX_SERVERS = 20;
/** The shortest prefix of a server's network. Otherwise an owner could name the whole internet. */
export const MIN_SERVER_BITS = { v4: 24, v6: 48 } as const;

/** Whether a text is the address of a server, or a network that is small enough to be one owner's. */
export function isServerNetwork(value: unknown): value is string {
  if (!isNetwork(value)) return false;
  const [address = '', bits] = value.split('/');
  return bits === undefined || Number(bits) >= (isIPv4(address) ? MIN_SERVER_BITS.v4 : MIN_SERVER_BITS.v6);
}
