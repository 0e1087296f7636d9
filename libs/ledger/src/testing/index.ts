/** For tests on a real Postgres: a throwaway database with the ledger's schema, and rows to start from. */
export { createLedgerDatabase, type LedgerDatabase } from './ledger-database';
// Gateways in separate processes that race for limits and are killed and paused, and checks of what must hold
// meanwhile.
export { findOverruns, findUncovered, watchOverruns, type RaceFinding } from './race-checker';
export { makeRacePlan, randomRequest, seedRace, type RacePlan } from './race-plan';
export { RaceProcesses, type RaceFault } from './race-processes';
export type { RaceSignature, RaceWorkerArguments } from './race-worker';
export { releaseSome } from './release-some';
export { Random } from './random';
export { aBudgetClaim, aReserveRequest } from './reserve-request.builder';
export { seedChain, seedWallet, type ChainSeed, type WalletSeed } from './seed';
export { UNHURRIED, UNHURRIED_BOOKS } from './unhurried';
export { until } from './until';
