import { isLoopback, isPublicAddress } from './public-address';

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '8.8.8.8', '100.63.255.255', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['this network', '0.0.0.0'],
    ['loopback', '127.0.0.1'],
    ['loopback elsewhere in its range', '127.255.255.254'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier NAT', '100.64.0.1'],
    ['link-local, where clouds keep their metadata', '169.254.169.254'],
    ['metadata and DNS inside Azure, though it looks public', '168.63.129.16'],
    ['documentation', '192.0.2.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-mapped in hex', '::ffff:7f00:1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['unique local', 'fc00::1'],
    ['unique local, where clouds keep their metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['a name', 'example.org'],
    ['nothing', ''],
    ['a number', '2130706433'],
  ])('%s is not: %s', (_kind, address) => expect(isPublicAddress(address)).toBe(false));
});

describe('isLoopback', () => {
  it('knows this machine in both families, and nothing else', () => {
    expect(['127.0.0.1', '127.1.2.3', '::1'].every(isLoopback)).toBe(true);
    expect(['10.0.0.1', '::', '::ffff:127.0.0.1', '127.example.org', '169.254.169.254'].some(isLoopback)).toBe(false);
  });
});
