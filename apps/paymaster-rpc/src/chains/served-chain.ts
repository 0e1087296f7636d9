import {
  AgreedChain,
  AgreedReads,
  BundlerSet,
  ChainHead,
  ChainProvider,
  EntryPointDeposits,
  readWalletAccount,
  type ChainConfig,
  type ChainReads,
} from '@paymaster/chain';
import {
  BundlerClient,
  BundlerGas,
  CallTrial,
  FeeMarket,
  GasLimitEstimator,
  L1Fees,
  MeasuredGas,
  OperationGas,
  OwnLimitsMemory,
  V06VerificationGas,
  ValidationTrial,
  type BundlerCalls,
} from '@paymaster/gas';
import type { Ledger } from '@paymaster/ledger';
import type { ProviderUse } from '@paymaster/nest-kit';
import { compileKnownAccounts, type KnownAccounts } from '@paymaster/policy';
import type { PriceSource } from '@paymaster/pricing';
import { SignerMembership, type SignerRoster } from '@paymaster/signers';
import { ClientTurns } from '@paymaster/turns';
import { AccountImplementations } from './account-implementations';
import type { ChainReader } from './chain-reader';
import { FundingCheck } from './funding-check';
import { PublishedFactories } from './published-factories';
import { ServedTokens, type TokenListeners } from './served-tokens';
import { READS, SENDS, SIMULATIONS, TRIALS, WAITING, WAITING_TO_SEND } from './turn-bounds';

/** One chain of chains.json with everything this process reads of it. */
export class ServedChain {
  readonly head: ChainHead;
  readonly funding: FundingCheck;
  readonly gas: GasLimitEstimator;
  /** The limits that this process calculated lately. */
  readonly ownLimits = new OwnLimitsMemory();
  /** The fees that the chain pays to block producers. */
  readonly fees: FeeMarket;
  /** The fees that a rollup takes for L1 data. */
  readonly l1Fees: L1Fees;
  /** Turns for work that runs an operation's code. */
  readonly simulations = new ClientTurns(SIMULATIONS, WAITING);
  /** The bundlers to which clients' operations are sent. */
  readonly bundlers: BundlerSet;
  /** Turns for sending operations to bundlers and for their estimates. */
  readonly sends = new ClientTurns(SENDS, WAITING_TO_SEND);
  /** Tries the validation of operations that are about to be sent. */
  readonly validationTrial: ValidationTrial;
  /** Turns for these trials. An operation that gets no turn in time is sent without a trial. */
  readonly trialTurns = new ClientTurns(TRIALS, WAITING_TO_SEND);
  /**
   * Turns for trials before our paymaster signs, apart from the other trials. An operation that gets no turn is not
   * signed.
   */
  readonly placeholderTurns = new ClientTurns(TRIALS, WAITING_TO_SEND);
  /** Turns for asking bundlers about operations, apart from sending, so that clients that poll do not delay it. */
  readonly asks = new ClientTurns(SENDS, WAITING_TO_SEND);
  /** Turns for what clients read of the chain. */
  readonly readTurns = new ClientTurns(READS, WAITING);
  /** Reads of the chain for clients. No decision about money uses them. */
  readonly reads: ChainProvider;
  readonly accounts: AccountImplementations;
  /** The coins of accounts that simulations run. */
  readonly coins: Pick<ChainProvider, 'balanceWei'>;
  /** Whether calls of an account would succeed. */
  readonly trial: CallTrial;
  /** The factories, implementations and delegates that the platform knows or the operator has listed. */
  readonly knownAccounts: KnownAccounts;
  readonly factories: PublishedFactories;
  readonly signer: SignerMembership;
  /** Undefined if no token is accepted on the chain. */
  readonly tokens: ServedTokens | undefined;
  private readonly bundler: BundlerClient | undefined;
  private readonly deposits: EntryPointDeposits;
  private readonly readers: readonly ChainReader[];

  /**
   * @param signers the signers of this process
   * @param ledger knows how much funding wallets have left
   * @param apis price APIs of this process
   * @param listeners called for events in the background
   * @param trialMs how long an operation waits for the trial of its validation; milliseconds
   */
  constructor(
    readonly config: ChainConfig,
    {
      signers,
      ledger,
      apis,
      listeners,
      trialMs,
    }: {
      signers: SignerRoster;
      ledger: Pick<Ledger, 'availableWei' | 'spendableWei' | 'assertBrakeLeaves'>;
      apis: readonly PriceSource[];
      listeners: TokenListeners;
      trialMs: number;
    },
  ) {
    const { onFault } = listeners;
    // The provider for reads that are needed before every signature. Never run strangers' code through it: if such code
    // opened the provider's breaker, no paymaster could sign on the chain.
    const provider = openChainReads(config, onFault);
    const validations = new ChainProvider(config, { onFault });
    this.head = new ChainHead(config, provider, { onFault });
    this.deposits = new EntryPointDeposits(config, provider, { onFault });
    this.funding = new FundingCheck(config.chainId, ledger, this.deposits, (account) =>
      readWalletAccount(provider, account),
    );
    const { bundlerUrl, gasEstimates } = config;
    this.bundler = bundlerUrl === undefined ? undefined : new BundlerClient({ url: bundlerUrl });
    this.bundlers = new BundlerSet(config);
    this.validationTrial = new ValidationTrial(config, { onFault, timeoutMs: trialMs });
    this.reads = new ChainProvider(config, { onFault });
    this.coins = validations;
    this.trial = new CallTrial(validations);
    this.fees = new FeeMarket(
      config,
      {
        // Each node is asked separately, and the median of their answers counts.
        providers: [...new Set(config.rpcUrls)].map((url) => new ChainProvider({ ...config, rpcUrls: [url] })),
        bundler: this.bundler,
      },
      { onFault },
    );
    this.l1Fees = new L1Fees(config, provider, { onFault });
    const isAsked = gasEstimates === 'bundler' && this.bundler;
    this.gas = new GasLimitEstimator(
      isAsked
        ? new BundlerGas(isAsked, new V06VerificationGas(validations))
        : new MeasuredGas(new OperationGas(validations, config, this.head), this.l1Fees, this.head, config.bounds),
    );
    this.knownAccounts = compileKnownAccounts(config.knownAccounts);
    this.factories = new PublishedFactories(provider, this.knownAccounts);
    this.accounts = new AccountImplementations(provider, { known: this.knownAccounts.implementations });
    this.signer = new SignerMembership(config, provider, signers, onFault);
    const { pricing } = config;
    this.tokens = pricing ? new ServedTokens({ ...config, pricing }, { head: this.head, apis, listeners }) : undefined;
    this.readers = [
      { use: 'chain', reader: provider },
      { use: 'validations', reader: validations },
      ...(this.tokens?.readers ?? []),
    ];
  }

  /** Our contracts' deposits in the EntryPoints, as last read. */
  knownDeposits(): ReturnType<EntryPointDeposits['known']> {
    return this.deposits.known();
  }

  /** The state of each provider, by use. */
  providers(): ReadonlyArray<{ readonly use: ProviderUse; readonly statuses: ReturnType<ChainReads['status']> }> {
    return this.readers.map(({ use, reader }) => ({ use, statuses: reader.status() }));
  }

  /** What became of the calls to the bundler; undefined if the chain has no bundler. */
  bundlerCalls(): BundlerCalls | undefined {
    return this.bundler?.calls;
  }

  /** Starts to read the chain in the background. Does not wait for the first answer. */
  start(): void {
    // Prices are judged by the chain's time, so the head comes first.
    void this.head.start().then(() => this.tokens?.start());
    void this.fees.start();
    void this.signer.start();
    void this.deposits.start();
    void this.l1Fees.start();
  }

  stop(): void {
    this.head.stop();
    this.fees.stop();
    this.signer.stop();
    this.deposits.stop();
    this.l1Fees.stop();
    this.tokens?.stop();
  }
}

/** How long one of several providers may take before another is asked beside it; milliseconds. */
const HEDGE_MS = 250;

/** A single URL is trusted alone. With several URLs, more than half have to give the same answer. */
function openChainReads(config: ChainConfig, onFault: (error: unknown) => void): ChainReads {
  if (new Set(config.rpcUrls).size === 1) return new ChainProvider(config, { onFault });
  return new AgreedReads(new AgreedChain(config, { hedgeMs: HEDGE_MS, onFault }));
}
