/** The ledger: reservations that hold every limit, in Postgres (docs/architecture/ledger.md). */
export * from './ledger';
export { exposureClaims } from './exposure-claims';
export { BudgetRefusedError, type FullBudget } from './budget-refused.error';
export { SpendingBrakeError, type BrakeRoom } from './spending-brake.error';
export { ledgerBehind, senderBlocked } from './gateway/refusals';
export { openLedger, type LedgerOptions } from './open-ledger';
export { sweepBudgets, type SweepOptions, type SweepResult } from './janitor/sweep-budgets';
export { migrateLedger } from './schema/migrate-ledger';
