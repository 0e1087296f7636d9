/** The ledger: reservations that hold every limit, in Postgres (docs/architecture/ledger.md). */
export * from './ledger';
