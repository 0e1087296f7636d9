import {
  encodeSponsorData,
  encodeStubSponsorData,
  PAYMASTER_GAS_CONSTANTS,
  STUB_SIGNATURE,
  type PaymasterGasConstants,
  type SponsorFields,
} from '@paymaster/chain';
import { FundingWalletError, type Address, type EntryPointVersion } from '@paymaster/domain';
import type { Caller } from '../../callers/caller';
import type { LoadedPolicy } from '../../snapshots/policy-copies';
import { sponsorData, type SponsorData } from './sponsor-data';
import type { Validity } from './validity';

/**
 * The terms on which a paymaster sponsors operations of one EntryPoint: its contract, the funding wallet, our gas
 * limits.
 */
export interface SponsorTerms {
  readonly version: EntryPointVersion;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly fundingWallet: Address;
  readonly feeMarkupMillionths: bigint;
  /**
   * The paymaster's own limits and `unaccountedGas`. They are measured constants; no bundler or client decides them.
   */
  readonly constants: PaymasterGasConstants;
  /** The stub of these terms: the final data's length, and never valid. */
  readonly stub: SponsorData;
}

/** Terms depend only on a policy's copy, so they are made once per copy. */
const known = new WeakMap<LoadedPolicy, Map<EntryPointVersion, SponsorTerms>>();

/** @throws {FundingWalletError} when the paymaster's owner has not named a funding wallet yet */
export function sponsorTerms(caller: Caller, version: EntryPointVersion): SponsorTerms {
  const ofPaymaster = known.get(caller.paymaster) ?? new Map<EntryPointVersion, SponsorTerms>();
  let terms = ofPaymaster.get(version);
  if (!terms) {
    terms = makeTerms(caller, version);
    known.set(caller.paymaster, ofPaymaster.set(version, terms));
  }
  return terms;
}

function makeTerms({ chain, paymaster }: Caller, version: EntryPointVersion): SponsorTerms {
  const { fundingWallet } = paymaster.snapshot;
  if (!fundingWallet) {
    throw new FundingWalletError('FUNDING_WALLET_MISSING', 'This paymaster has no funding wallet yet.');
  }
  const contracts = chain.config.entryPoints[version];
  if (!contracts) throw new Error(`EntryPoint v${version} is not served on chain ${chain.config.chainId}`);
  const { feeMarkupMillionths } = chain.config;
  const constants = PAYMASTER_GAS_CONSTANTS[version];
  const stub = encodeStubSponsorData({ fundingWallet, feeMarkupMillionths, unaccountedGas: constants.unaccountedGas });
  return {
    version,
    entryPoint: contracts.entryPoint,
    paymaster: contracts.paymaster,
    fundingWallet,
    feeMarkupMillionths,
    constants,
    stub: sponsorData({ version, paymaster: contracts.paymaster, constants }, stub),
  };
}

/** The fields that are signed on these terms. */
export function sponsorFields(terms: SponsorTerms, validity: Validity): SponsorFields {
  return {
    ...validity,
    fundingWallet: terms.fundingWallet,
    feeMarkupMillionths: terms.feeMarkupMillionths,
    unaccountedGas: terms.constants.unaccountedGas,
  };
}

/** A stub with the times of the final data, so that only the signature changes afterwards. */
export function stubUntil(terms: SponsorTerms, validity: Validity): SponsorData {
  return sponsorData(terms, encodeSponsorData(sponsorFields(terms, validity), STUB_SIGNATURE));
}
