import { createHmac, hkdfSync } from 'node:crypto';
import { NetworkNames } from '@paymaster/messaging';
import { clientNetwork, clientSite } from '@paymaster/nest-kit';
import { LRUCache } from 'lru-cache';

/** The names under which the ledger counts what a client holds. */
export interface ClientName {
  /** Its IPv4 address, or the /64 of its IPv6 address. */
  readonly network: string;
  /** The /48 that the network is in; an IPv4 address is its own site. A client with a /48 has 65,536 networks. */
  readonly site: string;
}

/** How an owner's app names its users, in session tokens and in headers: as {@link USER_NAME_RULE} says. */
export const USER_NAME = /^[\x20-\x7e]{1,128}$/;
export const USER_NAME_RULE = '1 to 128 printable ASCII characters';

const KEY_LABEL = 'names of client networks, v1';
/** 128 bits: no two networks share a name. */
const NAME_BYTES = 16;
/** Names in memory, so that a busy client is not hashed for every request. */
const MAX_REMEMBERED = 10_000;

/**
 * Names client networks. A network has the same name in every process of the gateway, so the ledger can count a client,
 * and a reader of the ledger does not learn its address. The dashboard can open the names of sites ({@link
 * NetworkNames}), so that an owner hears which network it is; those of users and of /64 networks are hashes.
 */
export class ClientNames {
  private readonly key: Buffer;
  private readonly sites: NetworkNames;
  private readonly known = new LRUCache<string, ClientName>({ max: MAX_REMEMBERED });

  /** @param secretHex `API_KEY_INDEX_KEY`, which all gateways have; the key is derived from it */
  constructor(secretHex: string) {
    const secret = Buffer.from(secretHex.replace(/^0x/, ''), 'hex');
    this.sites = new NetworkNames(secretHex);
    this.key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), KEY_LABEL, 32));
  }

  of(address: string | undefined): ClientName {
    const network = clientNetwork(address);
    const known = this.known.get(network);
    if (known) return known;
    const name = { network: this.nameOf(network), site: this.nameOf(clientSite(address)) };
    this.known.set(network, name);
    return name;
  }

  private nameOf(network: string): string {
    return this.sites.of(network) ?? this.hash(network);
  }

  private hash(network: string): string {
    return createHmac('sha256', this.key).update(network).digest().subarray(0, NAME_BYTES).toString('base64url');
  }
}
