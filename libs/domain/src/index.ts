/** The words of the platform: user operations, money, policy snapshots and errors. Pure; imports nothing. */
export * from './chain-event';
export * from './decimal';
export * from './eip7702';
export * from './entry-point';
export * from './errors';
export * from './hex';
export * from './key-grant';
export * from './money';
export * from './native-rules';
export * from './policy-snapshot';
export * from './price-sources';
export { objects, SchemaError, type Schema } from './schema';
export * from './session-key';
export * from './settings';
export * from './sponsor-icon';
export * from './sponsorship-policy';
export * from './token';
export * from './user-operation';
