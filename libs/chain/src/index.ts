/** The operator's chains: their configuration, nodes, bundlers, blocks and deposits, and the bytes that their paymaster contracts take. */
export { BlockSource } from './blocks/block-source';
export type { ContractNotice } from './blocks/contract-notices';
export {
  bundledOperation,
  landedCallData,
  type BundledOperation,
  type LandedOperation,
} from './blocks/landed-call-data';
export { landedTokenPayment } from './blocks/landed-token-payment';
export type { BlockRange, Look, MissedStretch, Stretch } from './blocks/quiet-stretch';
export { ServedContracts } from './blocks/served-contracts';
export * from './bundlers/bundler-endpoint';
export { bundlerRefusal, mayHaveLanded } from './bundlers/bundler-refusal';
export * from './bundlers/bundler-set';
export * from './bundlers/complete-operation';
export * from './bundlers/user-op-hash';
export * from './chains/chain-config';
export * from './chains/chains-file';
export { findWrongChecksum, WRONG_CHECKSUM } from './chains/checksum';
export { describeSchemaError } from './chains/config-file';
export { fileValidator } from './chains/file-validator';
export { ADDRESS } from './chains/schema-parts';
export * from './digest/digest-hasher';
export { authorityOf } from './eip7702/authority-of';
export * from './funding/entry-point-deposits';
export * from './funding/read-wallet-account';
export { connectionPool, httpPost } from './json-rpc/http-post';
export * from './json-rpc/json-rpc-client';
export * from './json-rpc/json-rpc-errors';
export {
  parseBytes,
  parseQuantity,
  parseRecord,
  parseWords,
  toQuantity,
  toWord,
  UnexpectedAnswerError,
} from './json-rpc/parse';
export { decodeSymbol, decodeUint, TokenAnswerError } from './json-rpc/token-answers';
export * from './paymaster-data/decode-paymaster-and-data';
export * from './paymaster-data/encode-paymaster-and-data';
export * from './paymaster-data/encode-sponsor-data';
export { encodeTokenData, permitHex } from './paymaster-data/encode-token-data';
export * from './paymaster-data/gas-constants';
export * from './paymaster-data/paymaster-signature';
export * from './paymaster-data/sponsor-fields';
export * from './paymaster-data/stub';
export * from './paymaster-data/token-fields';
export * from './paymaster-data/token-gas-terms';
export type { TouchedSlot } from './providers/access-list';
export { AgreedChain, type AgreedChainOptions } from './providers/agreed-chain';
export { AgreedReads, type ChainReads } from './providers/agreed-reads';
export * from './providers/chain-head';
export * from './providers/chain-provider';
export { CallRevertedError, isMethodUnknown, MethodUnsupportedError, type EthCall } from './providers/eth-call';
export type { ProviderStatus } from './providers/ranked-endpoint';
export {
  delegationOf,
  StateOverridesUnsupportedError,
  supportsStateOverrides,
  type BlockOverride,
  type StateOverrides,
} from './providers/state-overrides';
