import { randomBytes } from 'node:crypto';
import type { Address } from '@paymaster/domain';

/** An address without an owner that a token can't know in advance. */
export function randomAccount(): Address {
  return `0x${randomBytes(20).toString('hex')}`;
}
