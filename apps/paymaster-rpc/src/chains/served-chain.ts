import {
  BundlerClient,
  ChainHead,
  ChainProvider,
  FundingGuard,
  FundingWalletBalances,
  GasLimitEstimator,
  LiveSignatures,
  V06VerificationGas,
  type ChainConfig,
} from '@paymaster/chain';
import { AccountImplementations } from './account-implementations';

/** One chain of chains.json with everything this process reads of it. */
export class ServedChain {
  readonly head: ChainHead;
  readonly funding: FundingGuard;
  readonly gas: GasLimitEstimator;
  readonly accounts: AccountImplementations;

  /** @param onFault hears why a read in the background failed */
  constructor(
    readonly config: ChainConfig,
    onFault: (error: unknown) => void,
  ) {
    const provider = new ChainProvider(config, { onFault });
    this.head = new ChainHead(config, provider, { onFault });
    this.funding = new FundingGuard(this.head, new FundingWalletBalances(provider), new LiveSignatures());
    this.gas = new GasLimitEstimator(new BundlerClient({ url: config.bundlerUrl }), new V06VerificationGas(provider));
    this.accounts = new AccountImplementations(provider);
  }
}
