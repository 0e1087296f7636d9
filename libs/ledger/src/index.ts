/** The ledger: reservations in Postgres that keep every limit (docs/architecture/ledger.md). */
export * from './gateway/ledger';
export { exposureClaims } from './gateway/exposure-claims';
export { BudgetRefusedError, type FullBudget } from './gateway/budget-refused.error';
export { ClientBoundError, type ReachedBound } from './gateway/client-bound.error';
export { SpendingBrakeError, type BrakeRoom } from './gateway/spending-brake.error';
export { isSettlementLate } from './gateway/cursor-reader';
export { ledgerBehind, senderBlocked } from './gateway/refusals';
export { openLedger, type LedgerOptions } from './gateway/open-ledger';
export { sweepBudgets, type SweepOptions, type SweepResult } from './janitor/sweep-budgets';
export { migrateLedger } from './schema/migrate-ledger';
