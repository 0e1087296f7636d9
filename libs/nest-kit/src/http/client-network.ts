import { isIPv4, isIPv6 } from 'node:net';

/** The first half of an IPv6 address belongs to one customer, so a customer has 2^64 addresses. */
const NETWORK_GROUPS = 4;
/** The size of an organization's network. Many providers give one to every customer on request. */
const SITE_GROUPS = 3;
/** `::ffff:a.b.c.d`: IPv4 as dual-stack sockets report it. */
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** No address begins with this. */
const USER = 'user:';

/**
 * Makes a text that takes the place of a client's address, for a user whom an app names: he counts as a separate
 * client.
 */
export function userAsClient(user: string): string {
  return `${USER}${user}`;
}

/**
 * Names the client of an address: an IPv4 address, or the /64 of an IPv6 address; a user of {@link userAsClient} is a client of his own. All other texts count as one client
 * together; only a proxy of the operator's own could have written them.
 */
export function clientNetwork(address: string | undefined): string {
  return prefixOf(address, NETWORK_GROUPS);
}

/**
 * Like {@link clientNetwork}, but with the /48 of an IPv6 address, because one client can easily have all networks of a
 * /48.
 */
export function clientSite(address: string | undefined): string {
  return prefixOf(address, SITE_GROUPS);
}

function prefixOf(address: string | undefined, groups: number): string {
  if (address?.startsWith(USER)) return address;
  const [plain = ''] = (address ?? '').split('%');
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return 'unknown';
  const mapped = MAPPED_IPV4.exec(plain)?.[1];
  return mapped ?? `${groupsOf(plain).slice(0, groups).join(':')}::/${groups * 16}`;
}

/** The groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter((group) => group !== '')) as [
    string[],
    string[],
  ];
  // Dotted digits at the end stand for two groups; which ones does not matter for the network.
  const width = (groups: string[]): number => groups.reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0);
  const zeros = address.includes('::') ? 8 - width(first) - width(last) : 0;
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...last].map((group) => group.replace(/^0+(?=.)/, ''));
}
