/** A webhook's receiver that can misbehave, for tests. */
export * from './webhook-receiver';
