/** The ledger: reservations that hold every limit, in Postgres (docs/architecture/ledger.md). */
export * from './ledger';
export { openLedger, type LedgerOptions } from './open-ledger';
export { migrateLedger } from './schema/migrate-ledger';
