/** Builders and fakes for tests of code that talks to a chain. */
export * from './anvil';
export * from './automine-provider';
export * from './blocks';
export { compileSolidity, compileSolidityFile, type CompiledContract } from './compile-solidity';
export * from './fake-clock';
export * from './fake-rpc-server';
export * as lies from './lies';
export * from './lying-proxy';
export * from './op-stack-contracts';
export * from './signers';
export * from './sponsor-fields.builder';
export * from './sponsored-chain';
export * from './token-fields.builder';
export * from './unhurried';
