/** All code that depends on a chain: its configuration, providers, gas estimation, paymasterAndData and signers. */
export { IncompleteOperationError } from './blocks/assemble-events';
export type { BlockEvents } from './blocks/block-events';
export {
  bundledOperation,
  landedCallData,
  type BundledOperation,
  type LandedCallData,
  type LandedOperation,
} from './blocks/landed-call-data';
export type { ContractNotice } from './blocks/contract-notices';
export { BlockSource, ChainMovedError, type BlockPlace } from './blocks/block-source';
export type { BlockRange, Look, MissedStretch, Stretch } from './blocks/quiet-stretch';
export { ServedContracts, type ServedContract } from './blocks/served-contracts';
export * from './bundlers/bundler-endpoint';
export { bundlerRefusal, mayHaveLanded } from './bundlers/bundler-refusal';
export * from './bundlers/bundler-set';
export * from './bundlers/complete-operation';
export * from './bundlers/user-op-hash';
export * from './chains/chain-config';
export * from './chains/chains-file';
export { findWrongChecksum, hasWrongChecksum, WRONG_CHECKSUM } from './chains/checksum';
export { ChainsFileError } from './chains/config-file';
export { loadTokenList, MAX_TOKENS_PER_CHAIN, parseTokenList } from './chains/token-list-file';
export * from './digest/digest-hasher';
export { authorityOf } from './eip7702/authority-of';
export * from './estimation/own-limits';
export * from './estimation/bundler-client';
export { bundlerError } from './estimation/bundler-error';
export * from './estimation/gas-limit-estimator';
export * from './estimation/operation-gas';
export { raisedError, type RaisedError } from './estimation/raised-error';
export { revertReason } from './estimation/revert-reason';
export * from './estimation/paymaster-gas-constants';
export * from './estimation/gas-reference';
export * from './estimation/token-gas-constants';
export * from './estimation/token-gas-terms';
export { addTokenGas, APPROVE_HEADROOM, type TokenEstimation } from './estimation/token-head-room';
export * from './estimation/v06-verification-gas';
export * from './fees/fee-market';
export * from './funding/entry-point-deposits';
export * from './funding/read-wallet-account';
export { connectionPool, httpPost } from './json-rpc/http-post';
export * from './json-rpc/json-rpc-client';
export * from './json-rpc/json-rpc-errors';
export { L1Fees, type L1Gas, type L1GasRequest } from './l1-fees/l1-fees';
export { findRollupKind } from './l1-fees/rollup-kind';
export * from './paymaster-data/decode-paymaster-and-data';
export * from './paymaster-data/encode-paymaster-and-data';
export * from './paymaster-data/encode-sponsor-data';
export { encodeTokenData } from './paymaster-data/encode-token-data';
export * from './paymaster-data/paymaster-signature';
export * from './paymaster-data/sponsor-fields';
export * from './paymaster-data/stub';
export * from './paymaster-data/token-fields';
export * from './simulation/call-trial';
export * from './simulation/sender-of';
export type { TouchedSlot } from './providers/access-list';
export { AgreedChain, DEFAULT_AGREEMENT_SETTINGS, type AgreedChainOptions } from './providers/agreed-chain';
export { AgreedReads, type ChainReads } from './providers/agreed-reads';
export type { AgreementSettings } from './providers/agreement';
export type { Block } from './providers/block';
export type { BlockHeader } from './providers/block-header';
export * from './providers/chain-endpoint';
export * from './providers/chain-head';
export * from './providers/chain-provider';
export * from './providers/circuit-breaker';
export { CallRevertedError, MethodUnsupportedError, type EthCall } from './providers/eth-call';
export * from './providers/monotonic-clock';
export { DisagreementError, NotAgreedError } from './providers/not-agreed.error';
export type { ProviderStatus } from './providers/ranked-endpoint';
export {
  StateOverridesUnsupportedError,
  supportsStateOverrides,
  type AccountOverride,
  type StateOverrides,
} from './providers/state-overrides';
export type { ContractTrust, SignerRoster } from './signer/contract-trust';
export * from './signer/load-signer';
export * from './signer/local-key-signer';
export { openSigners, type OpenedSigners, type SignersSource } from './signer/set/open-signers';
export type { SignerReport, SignerSet, SigningRequest } from './signer/set/signer-set';
export { SignerUpkeep } from './signer/set/signer-upkeep';
export * from './signer/signer';
export { SignerError, type SignerFailure } from './signer/signer-error';
export * from './signer/signer-key-error';
export * from './signer/signer-membership';
export type { SignerObserver } from './signer/signer-observer';
export * from './simulation/token-path-simulator';
export type { TokenPathOutcome } from './simulation/token-payment';
export * from './simulation/validation-trial';
export { parseQuantity, toQuantity, UnexpectedAnswerError } from './json-rpc/parse';
export { isPresentableSymbol, TokenAnswerError } from './json-rpc/token-answers';
export * from './tokens/token-probe';
export { TokenReader } from './tokens/token-reader';
export * from './tokens/token-refused.error';
