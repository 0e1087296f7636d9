/** Injection token of the one `Ledger` of this process. */
export const LEDGER = Symbol('LEDGER');
