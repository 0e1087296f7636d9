/** Everything that travels on NATS: subjects, message shapes, and the typed client. */
export * from './api-key-index';
export * from './blind-names';
export * from './key-grant-shape';
export * from './message-authenticator';
export * from './nats-client';
export * from './nats-connection';
export * from './policy-client';
export * from './policy-messages';
export * from './rate-gossip';
export * from './rate-messages';
export * from './snapshot-shape';
export * from './token-shape';
export * from './sponsorship-consumer';
export * from './sponsorship-event-shape';
export * from './sponsorship-events';
export * from './sponsorship-policy-message';
