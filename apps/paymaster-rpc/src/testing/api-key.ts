import { randomBytes, randomUUID } from 'node:crypto';

/** A key of the right form that belongs to no paymaster yet. */
export const randomApiKey = (): string => `${randomBytes(7).toString('base64url').slice(0, 9)}.${randomUUID()}`;
