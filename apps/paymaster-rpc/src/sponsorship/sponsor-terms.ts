import { PAYMASTER_GAS_CONSTANTS, type PaymasterGasConstants } from '@paymaster/chain';
import { FundingWalletError, type Address, type EntryPointVersion } from '@paymaster/domain';
import type { Caller } from '../callers/caller';

/** On what terms an operation is sponsored: which contract, whose deposit, which gas of ours. */
export interface SponsorTerms {
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly fundingWallet: Address;
  readonly feeMarkupMillionths: bigint;
  /** The paymaster's own limits, and U; measured, never a bundler's or a client's. */
  readonly constants: PaymasterGasConstants;
}

/** @throws {FundingWalletError} when the paymaster's owner has not named a funding wallet yet */
export function sponsorTerms({ chain, paymaster }: Caller, version: EntryPointVersion): SponsorTerms {
  const { fundingWallet } = paymaster.snapshot;
  if (!fundingWallet) {
    throw new FundingWalletError('FUNDING_WALLET_MISSING', 'This paymaster has no funding wallet yet.');
  }
  const contracts = chain.config.entryPoints[version];
  if (!contracts) throw new Error(`EntryPoint v${version} is not served on chain ${chain.config.chainId}`);
  return {
    version,
    ...contracts,
    fundingWallet,
    feeMarkupMillionths: chain.config.feeMarkupMillionths,
    constants: PAYMASTER_GAS_CONSTANTS[version],
  };
}
