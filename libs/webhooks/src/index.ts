/** Signed requests to servers that strangers name; they can reach nothing but the public internet. */
export type { ResolvedAddress } from './host-resolver';
export * from './public-address';
export * from './webhook-client';
export * from './webhook-error';
export * from './webhook-secret';
export * from './webhook-signature';
export * from './webhook-url';
