import { randomInt } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { SettlementBooks } from '@paymaster/ledger/settlement';
import { SettlementConfig } from '../config/settlement.config';
import { BOOKS } from '../database/books.token';
import { ChainFollowers } from '../following/chain-followers.service';
import { FOLLOWED_CHAINS, type FollowedChain } from '../following/followed-chain';
import { repeat } from '../following/repeat';
import { LedgerMetrics } from '../metrics/ledger-metrics';
import { reconcileChain } from './reconcile-chain';

/**
 * How soon a chain is compared after settlement has caught up with it, and how soon a failed comparison is tried again.
 */
const RETRY_MS = 1_000;

/** Compares books and chain from time to time, for each chain of which this process is the leader. */
@Injectable()
export class Reconciliations implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Reconciliations.name);
  private readonly stopping = new AbortController();
  private loops: Promise<void>[] = [];

  constructor(
    private readonly config: SettlementConfig,
    @Inject(BOOKS) private readonly books: SettlementBooks,
    @Inject(FOLLOWED_CHAINS) private readonly chains: readonly FollowedChain[],
    private readonly followers: ChainFollowers,
    private readonly metrics: LedgerMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = [
      ...this.chains.map((chain) =>
        this.repeatWhenDue(
          () => this.followers.leads(chain.config.chainId),
          (turn) => this.reconcile(chain, turn),
        ),
      ),
      this.repeatWhenDue(
        () => this.chains.some(({ config }) => this.followers.leads(config.chainId)),
        () => this.verify(),
      ),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.loops);
  }

  private repeatWhenDue(mayRun: () => boolean, run: (turn: number) => Promise<void>): Promise<void> {
    let lastMs: number | undefined;
    // The first turn is random: with 0, a process that is often restarted would always compare the same wallets.
    let turn = randomInt(2 ** 31);
    return repeat({
      step: async () => {
        const isDue = lastMs === undefined || Date.now() - lastMs >= this.config.reconcileIntervalSeconds * 1_000;
        if (!isDue || !mayRun()) return false;
        await run(turn++);
        lastMs = Date.now();
        return false;
      },
      pauseMs: () => RETRY_MS,
      onFault: (error, failuresInARow) => {
        if (failuresInARow % 20 === 1) this.logger.warn({ problem: String(error) }, 'the books could not be compared');
      },
      signal: this.stopping.signal,
    });
  }

  private async reconcile({ config: chain, source }: FollowedChain, turn: number): Promise<void> {
    const { chainId } = chain;
    const { block, wallets, findings } = await reconcileChain({ books: this.books, chain, source, turn });
    const labels = { chain: String(chainId) };
    this.metrics.mismatches.set(labels, findings.length);
    this.metrics.reconciledAt.set(labels, Date.now() / 1_000);
    const summary = { chainId, block: String(block.number), wallets };
    if (findings.length === 0) this.logger.log(summary, 'books and chain agree');
    for (const finding of findings) this.logger.error({ ...summary, ...finding }, 'ALARM: books and chain differ');
  }

  private async verify(): Promise<void> {
    const findings = await this.books.verifyBooks();
    this.metrics.bookFindings.set(findings.length);
    for (const finding of findings) this.logger.error(finding, 'ALARM: entries and balances differ');
  }
}
