/** Contracts that tests of gas put on a local chain. */
export * from './op-stack-contracts';
