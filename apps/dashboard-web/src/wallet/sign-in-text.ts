import { createSiweMessage } from 'viem/siwe';
import type { Address } from 'viem';

const VALID_MINUTES = 5;

/** The text that a wallet signs to sign in (ERC-4361). It names this page, so it is of no use elsewhere. */
export function signInText({
  address,
  chainId,
  nonce,
  origin,
  now,
}: {
  readonly address: Address;
  readonly chainId: number;
  readonly nonce: string;
  readonly origin: string;
  readonly now: Date;
}): string {
  return createSiweMessage({
    address,
    chainId,
    nonce,
    domain: new URL(origin).host,
    uri: origin,
    version: '1',
    statement: 'Sign in to the paymaster dashboard. No transaction is sent.',
    issuedAt: now,
    expirationTime: new Date(now.getTime() + VALID_MINUTES * 60_000),
  });
}
