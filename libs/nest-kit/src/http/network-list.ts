import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { clientNetwork } from './client-network';

/** Addresses and CIDR blocks, ready for look-ups. */
export class NetworkList {
  private readonly list = new BlockList();

  /** @param networks IPv4 is written as IPv4, not as a part of `::ffff:0:0/96` */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/');
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      if (bits === undefined) this.list.addAddress(address, family);
      else this.list.addSubnet(address, Number(bits), family);
    }
  }

  /** @param clientAddress as a socket reports it; an address that nobody knows is in no network */
  has(clientAddress: string | undefined): boolean {
    const [address = ''] = (clientAddress ?? '').split('%');
    const mapped = clientNetwork(address);
    if (isIPv4(mapped)) return this.list.check(mapped, 'ipv4');
    return isIPv6(address) && this.list.check(address, 'ipv6');
  }
}
