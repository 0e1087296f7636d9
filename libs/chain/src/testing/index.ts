/** Builders and fakes for tests of code that talks to a chain. */
export * from './anvil';
export * from './automine-provider';
export * from './blocks';
export { compileSolidity, compileSolidityFile, type CompiledContract } from './compile-solidity';
export { pack } from './deployed-paymasters';
export * from './fake-clock';
export * from './fake-rpc-server';
export * as lies from './lies';
export { misbehaves } from './lies';
export * from './lying-proxy';
export { inBatches, randomSignableOperation } from './random-requests';
export {
  deployContract,
  simpleAccountArtifact,
  simpleAccountCallData,
  SimpleAccounts,
  type AccountCall,
} from './simple-accounts';
export * from './sponsor-fields.builder';
export * from './sponsored-chain';
export { TestSigner } from './test-signer';
export * from './token-fields.builder';
export * from './unhurried';
