/** The ledger for settlement: follow chains, settle, void, prove the books, publish events. */
export { openSettlementBooks, type SettlementBooksOptions } from './open-settlement-books';
export type { Outbox, OutboxEvent } from './outbox';
export * from './settlement-books';
