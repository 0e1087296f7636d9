import {
  BundlerClient,
  ChainHead,
  ChainProvider,
  FundingGuard,
  FundingWalletBalances,
  GasLimitEstimator,
  LiveSignatures,
  SignerMembership,
  V06VerificationGas,
  type ChainConfig,
} from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import { AccountImplementations } from './account-implementations';

/** One chain of chains.json with everything this process reads of it. */
export class ServedChain {
  readonly head: ChainHead;
  readonly funding: FundingGuard;
  readonly gas: GasLimitEstimator;
  readonly accounts: AccountImplementations;
  readonly signer: SignerMembership;

  /**
   * @param signer address of the key that signs
   * @param onFault hears why a read in the background failed
   */
  constructor(
    readonly config: ChainConfig,
    signer: Address,
    onFault: (error: unknown) => void,
  ) {
    const provider = new ChainProvider(config, { onFault });
    this.head = new ChainHead(config, provider, { onFault });
    this.funding = new FundingGuard(this.head, new FundingWalletBalances(provider), new LiveSignatures());
    this.gas = new GasLimitEstimator(new BundlerClient({ url: config.bundlerUrl }), new V06VerificationGas(provider));
    this.accounts = new AccountImplementations(provider);
    this.signer = new SignerMembership(config, provider, signer, onFault);
  }
}
