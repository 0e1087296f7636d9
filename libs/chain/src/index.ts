/** Everything that knows a chain: its configuration, providers, gas estimation, paymasterAndData and signers. */
export { IncompleteOperationError } from './blocks/assemble-events';
export type { BlockEvents } from './blocks/block-events';
export { BlockSource, ChainMovedError, type BlockPlace } from './blocks/block-source';
export * from './chains/chain-config';
export * from './chains/chains-file';
export { ChainsFileError } from './chains/config-file';
export { loadTokenList, MAX_TOKENS_PER_CHAIN, parseTokenList } from './chains/token-list-file';
export * from './digest/digest-hasher';
export { authorityOf } from './eip7702/authority-of';
export * from './estimation/account-stub-signature';
export * from './estimation/bundler-client';
export * from './estimation/gas-limit-estimator';
export * from './estimation/paymaster-gas-constants';
export * from './estimation/pre-verification-gas-reference';
export * from './estimation/token-gas-constants';
export * from './estimation/token-gas-terms';
export { addTokenGas, APPROVE_HEADROOM, type TokenEstimation } from './estimation/token-head-room';
export * from './estimation/v06-verification-gas';
export * from './funding/entry-point-deposits';
export * from './funding/read-wallet-account';
export * from './json-rpc/json-rpc-client';
export * from './json-rpc/json-rpc-errors';
export * from './paymaster-data/decode-paymaster-and-data';
export * from './paymaster-data/encode-paymaster-and-data';
export * from './paymaster-data/encode-sponsor-data';
export { encodeTokenData } from './paymaster-data/encode-token-data';
export * from './paymaster-data/sponsor-fields';
export * from './paymaster-data/stub';
export * from './paymaster-data/token-fields';
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
export type { Log, LogFilter } from './providers/log';
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
export { isPresentableSymbol, TokenAnswerError } from './tokens/token-answers';
export * from './tokens/token-probe';
export { TokenReader } from './tokens/token-reader';
export * from './tokens/token-refused.error';
