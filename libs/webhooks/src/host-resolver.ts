import { Resolver } from 'node:dns/promises';

/** An address a host name has. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface HostResolverOptions {
  /** Name servers as `address:port`; default: those of the system. */
  readonly servers?: readonly string[];
  /** For one attempt, of two; milliseconds. */
  readonly timeoutMs?: number;
}

const ATTEMPTS = 2;

/**
 * Asks name servers directly. `dns.lookup` does not: it takes one of the few threads that all lookups of the process
 * share, for as long as the slowest name server of a stranger lets it, and nothing else finds its host meanwhile.
 * Hosts files and search domains are not looked at: no public name is there.
 *
 * @returns all addresses of a host, IPv4 first; rejects when it has none
 */
export function hostResolver({ servers, timeoutMs = 1_000 }: HostResolverOptions = {}) {
  const resolver = new Resolver({ timeout: timeoutMs, tries: ATTEMPTS });
  if (servers) resolver.setServers(servers);
  return async (host: string): Promise<readonly ResolvedAddress[]> => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    const [first] = answers;
    if (found.length === 0 && first.status === 'rejected') throw first.reason;
    return found;
  };
}
