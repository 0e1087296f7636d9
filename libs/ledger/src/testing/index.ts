/** For tests on a real Postgres: a throwaway database with the ledger's schema, and rows to start from. */
export { fromStored } from '../gateway/stored-event';
export { createLedgerDatabase, type LedgerDatabase } from './ledger-database';
export { aBudgetClaim, aReserveRequest } from './reserve-request.builder';
export { seedChain, seedWallet, type ChainSeed, type WalletSeed } from './seed';
export { UNHURRIED, UNHURRIED_BOOKS } from './unhurried';
