import {
  AgreedChain,
  AgreedReads,
  BundlerClient,
  BundlerGas,
  CallGas,
  ChainHead,
  ChainProvider,
  EntryPointDeposits,
  FeeMarket,
  GasLimitEstimator,
  L1Fees,
  MeasuredGas,
  OperationGas,
  SignerMembership,
  V06VerificationGas,
  type BundlerCalls,
  type ChainConfig,
  type ChainReads,
  type SignerRoster,
} from '@paymaster/chain';
import type { Ledger } from '@paymaster/ledger';
import type { ProviderUse } from '@paymaster/nest-kit';
import type { PriceSource } from '@paymaster/pricing';
import { ClientTurns, type QueueBounds, type TurnBounds } from '../turns/client-turns';
import { AccountImplementations } from './account-implementations';
import type { ChainReader } from './chain-reader';
import { FundingCheck } from './funding-check';
import { ServedTokens, type TokenListeners } from './served-tokens';

/**
 * Simulations under way at once, at bundler and node. A few that loop keep both busy: one client is left so many that
 * half of a small node is still there for the others, and one paymaster a quarter of all.
 */
const SIMULATIONS: TurnBounds = { perClient: 2, perPaymaster: 8, inAll: 32 };
/** Who waits for a turn still has time for a bundler's answer afterwards. */
const WAITING: QueueBounds = { perClient: 16, perPaymaster: 128, inAll: 512, longestMs: 2_000 };

/** One chain of chains.json with everything this process reads of it. */
export class ServedChain {
  readonly head: ChainHead;
  readonly funding: FundingCheck;
  readonly gas: GasLimitEstimator;
  /** What `callGasLimit` the calls of an operation justify. */
  readonly callGas: CallGas;
  /** What the chain pays to those who make its blocks. */
  readonly fees: FeeMarket;
  /** What a rollup takes for its L1 data. */
  readonly l1Fees: L1Fees;
  /** Turns of what runs an operation's code. */
  readonly simulations = new ClientTurns(SIMULATIONS, WAITING);
  readonly accounts: AccountImplementations;
  readonly signer: SignerMembership;
  /** Undefined where no token can be paid in. */
  readonly tokens: ServedTokens | undefined;
  private readonly bundler: BundlerClient | undefined;
  private readonly deposits: EntryPointDeposits;
  private readonly readers: readonly ChainReader[];

  /**
   * @param signers those of this process
   * @param ledger says what funding wallets have left
   * @param apis price APIs of this process
   * @param listeners hear what happens in the background
   */
  constructor(
    readonly config: ChainConfig,
    {
      signers,
      ledger,
      apis,
      listeners,
    }: {
      signers: SignerRoster;
      ledger: Pick<Ledger, 'availableWei' | 'spendableWei' | 'assertBrakeLeaves'>;
      apis: readonly PriceSource[];
      listeners: TokenListeners;
    },
  ) {
    const { onFault } = listeners;
    // What must be read before anything is signed. Nobody else's code runs here: a breaker that it opened would close
    // the chain for every paymaster.
    const provider = openChainReads(config, onFault);
    const validations = new ChainProvider(config, { onFault });
    this.head = new ChainHead(config, provider, { onFault });
    this.deposits = new EntryPointDeposits(config, provider, { onFault });
    this.funding = new FundingCheck(config.chainId, ledger, this.deposits);
    const { bundlerUrl, gasEstimates } = config;
    this.bundler = bundlerUrl === undefined ? undefined : new BundlerClient({ url: bundlerUrl });
    this.callGas = new CallGas(validations);
    this.fees = new FeeMarket(
      config,
      {
        // Each is asked apart: of several the median counts.
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
        : new MeasuredGas(new OperationGas(validations, config.bounds), this.l1Fees, this.head),
    );
    this.accounts = new AccountImplementations(provider);
    this.signer = new SignerMembership(config, provider, signers, onFault);
    const { pricing } = config;
    this.tokens = pricing ? new ServedTokens({ ...config, pricing }, { head: this.head, apis, listeners }) : undefined;
    this.readers = [
      { use: 'chain', reader: provider },
      { use: 'validations', reader: validations },
      ...(this.tokens?.readers ?? []),
    ];
  }

  /** What our contracts have in the EntryPoints, as last read. */
  knownDeposits(): ReturnType<EntryPointDeposits['known']> {
    return this.deposits.known();
  }

  /** How each provider does, by what it is asked for. */
  providers(): ReadonlyArray<{ readonly use: ProviderUse; readonly statuses: ReturnType<ChainReads['status']> }> {
    return this.readers.map(({ use, reader }) => ({ use, statuses: reader.status() }));
  }

  /** What became of the calls to the bundler; undefined where no bundler is asked for anything. */
  bundlerCalls(): BundlerCalls | undefined {
    return this.bundler?.calls;
  }

  /** Reads the chain from now on, in the background. Waits for nothing. */
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

/** One URL is believed alone, for there is nobody else. Of several, more than half have to say the same. */
function openChainReads(config: ChainConfig, onFault: (error: unknown) => void): ChainReads {
  if (new Set(config.rpcUrls).size === 1) return new ChainProvider(config, { onFault });
  return new AgreedReads(new AgreedChain(config, { hedgeMs: HEDGE_MS, onFault }));
}
