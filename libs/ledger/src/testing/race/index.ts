/** Gateways in processes of their own that race for limits, are killed and paused, and what must hold meanwhile. */
export { findOverruns, findUncovered, watchOverruns, type RaceFinding } from './race-checker';
export { makeRacePlan, randomRequest, seedRace, type RacePlan } from './race-plan';
export { RaceProcesses, type RaceFault } from './race-processes';
export type { RaceSignature, RaceWorkerArguments } from './race-worker';
export { releaseSome } from './release-some';
export { Random } from './random';
