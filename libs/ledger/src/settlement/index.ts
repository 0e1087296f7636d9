/** What settlement does with the ledger: follow chains, settle, void, prove the books, publish events. */
export { openSettlementBooks, type SettlementBooksOptions } from './open-settlement-books';
export type { Outbox, OutboxEvent } from './outbox';
export * from './settlement-books';
