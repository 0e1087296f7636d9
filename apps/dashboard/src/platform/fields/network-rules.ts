import { isNetwork, isServerNetwork, MIN_SERVER_BITS } from '@paymaster/messaging';
import { ValidateBy } from 'class-validator';

/** A list of IPv4 and IPv6 addresses and of blocks of them, of any size. */
export function AreNetworks(): PropertyDecorator {
  return each('areNetworks', isNetwork, 'an IPv4 or IPv6 address or a block of them, such as 203.0.113.0/24');
}

/** A list of addresses of servers, and of networks that one owner can have. */
export function AreServers(): PropertyDecorator {
  const { v4, v6 } = MIN_SERVER_BITS;
  const what = `an IPv4 or IPv6 address, or a network of at least /${v4} (IPv4) or /${v6} (IPv6), such as 203.0.113.0/24`;
  return each('areServers', isServerNetwork, what);
}

function each(name: string, isRight: (value: unknown) => boolean, what: string): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (values: unknown) => Array.isArray(values) && values.every(isRight),
      defaultMessage: () => `each value in $property must be ${what}`,
    },
  });
}
