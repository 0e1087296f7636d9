import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { isIPv4 } from 'node:net';

const KEY_LABEL = 'names of client networks, v2';
/** One block of AES: each network has one name, and each name is of at most one network. */
const CIPHER = 'aes-256-ecb';
const BLOCK_BYTES = 16;
/**
 * The first byte of a block is the kind of address that follows. The block is filled up with zeros, by which a wrong
 * key is noticed.
 */
const [IPV4, IPV6] = [4, 6];
const NETWORK_BYTES = 6;

/**
 * Names IPv4 addresses and /48 networks of IPv6, so that the ledger can count them. A name is the same in every
 * process, and a reader without the key learns nothing from it. A process with the key can {@link open} a name: the
 * dashboard tells an owner which network uses up his wallet.
 */
export class NetworkNames {
  private readonly key: Buffer;

  /** @param secretHex `API_KEY_INDEX_KEY`; the key is derived from it */
  constructor(secretHex: string) {
    const secret = Buffer.from(secretHex.replace(/^0x/, ''), 'hex');
    this.key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), KEY_LABEL, 32));
  }

  /**
   * @param network an IPv4 address, or a /48 as `clientSite` of nest-kit writes it
   * @returns 22 characters; undefined for all other texts
   */
  of(network: string): string | undefined {
    const block = blockOf(network);
    if (!block) return undefined;
    const cipher = createCipheriv(CIPHER, this.key, null).setAutoPadding(false);
    return cipher.update(block).toString('base64url');
  }

  /** @returns the network of a name; undefined if the name is of something else, or was made with another key */
  open(name: string): string | undefined {
    const sealed = Buffer.from(name, 'base64url');
    if (sealed.length !== BLOCK_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.key, null).setAutoPadding(false);
    return networkOf(decipher.update(sealed));
  }
}

function blockOf(network: string): Buffer | undefined {
  const block = Buffer.alloc(BLOCK_BYTES);
  if (isIPv4(network)) {
    block[0] = IPV4;
    block.set(network.split('.').map(Number), 1);
    return block;
  }
  const groups = /^([0-9a-f]{1,4}):([0-9a-f]{1,4}):([0-9a-f]{1,4})::\/48$/.exec(network)?.slice(1);
  if (!groups) return undefined;
  block[0] = IPV6;
  groups.forEach((group, at) => block.writeUInt16BE(parseInt(group, 16), 1 + 2 * at));
  return block;
}

function networkOf(block: Buffer): string | undefined {
  const [version, ...bytes] = block;
  const used = version === IPV4 ? 4 : NETWORK_BYTES;
  if (bytes.slice(used).some((byte) => byte !== 0)) return undefined;
  if (version === IPV4) return bytes.slice(0, used).join('.');
  if (version !== IPV6) return undefined;
  const groups = [1, 3, 5].map((at) => block.readUInt16BE(at).toString(16));
  return `${groups.join(':')}::/48`;
}
