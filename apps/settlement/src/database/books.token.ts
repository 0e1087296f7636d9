/** Injects the {@link SettlementBooks}. */
export const BOOKS = Symbol('BOOKS');
