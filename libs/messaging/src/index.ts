/** What travels on NATS: subjects, message shapes, and the typed client and publisher. */
export * from './api-key-index';
export * from './policy-messages';
