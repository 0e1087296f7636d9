/** What settlement does with the ledger: follow chains, settle, void, prove the books, publish events. */
export * from './settlement-books';
