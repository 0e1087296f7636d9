import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { SettlementBooks, UnsettledOperation } from '@paymaster/ledger/settlement';
import { BOOKS } from '../database/books.token';
import { ChainFollowers } from '../following/chain-followers.service';
import { FOLLOWED_CHAINS, type FollowedChain } from '../following/followed-chain';
import { repeat } from '../following/repeat';
import { LedgerMetrics } from '../metrics/ledger-metrics';
import { unsettledRecords, type UnsettledRecord } from './unsettled-records';

/** How often the books are asked for new operations. */
const LOOK_INTERVAL_MS = 5_000;
/** How often the chain is read where there are none: the owner may have stated something. */
const READ_AGAIN_MS = 300_000;
/** While looks fail one after the other, one failure in this many is logged. */
const FAULTS_PER_LINE = 20;

/** What the last look at a chain found. */
interface LastLook {
  readonly known: string;
  readonly atMs: number;
  /** The lines that are in the log already. */
  readonly logged: ReadonlySet<string>;
}

/**
 * Tells the operator, within seconds after the block of a failed batch approval is final, what of a wallet's money waits
 * for a statement of the contract's owner. For each chain of which this process is the leader.
 */
@Injectable()
export class UnsettledWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(UnsettledWatch.name);
  private readonly stopping = new AbortController();
  private readonly last = new Map<number, LastLook>();
  private loops: Promise<void>[] = [];

  constructor(
    @Inject(BOOKS) private readonly books: SettlementBooks,
    @Inject(FOLLOWED_CHAINS) private readonly chains: readonly FollowedChain[],
    private readonly followers: ChainFollowers,
    private readonly metrics: LedgerMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = this.chains.map((chain) =>
      repeat({
        step: async () => {
          await this.look(chain);
          return false;
        },
        pauseMs: () => LOOK_INTERVAL_MS,
        onFault: (error, failuresInARow) => {
          if (failuresInARow % FAULTS_PER_LINE === 1)
            this.logger.warn({ problem: String(error) }, 'unsettled precharges could not be read');
        },
        signal: this.stopping.signal,
      }),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.loops);
  }

  private async look(followed: FollowedChain): Promise<void> {
    const { config: chain, source } = followed;
    const { chainId } = chain;
    if (!this.followers.leads(chainId)) {
      this.last.delete(chainId);
      this.metrics.unsettled.set({ chain: String(chainId) }, 0);
      return;
    }
    const known = nameOf(await this.books.unsettledOperations(chainId));
    const last = this.last.get(chainId);
    if (last?.known === known && Date.now() - last.atMs < READ_AGAIN_MS) return;
    const { records } = await unsettledRecords({ books: this.books, chain, source });
    this.metrics.unsettled.set(
      { chain: String(chainId) },
      Number(records.reduce((sum, { recordedWei }) => sum + recordedWei, 0n)),
    );
    const lines = records
      .flatMap((record) => linesOf(chainId, record))
      .map((line) => [line, JSON.stringify(line)] as const);
    for (const [[fields, message], key] of lines) if (!last?.logged.has(key)) this.logger.warn(fields, message);
    this.last.set(chainId, { known, atMs: Date.now(), logged: new Set(lines.map(([, key]) => key)) });
  }
}

/** What an operator reads of a record: fields of the log line, and its message. */
export function linesOf(
  chainId: number,
  { contract, wallet, recordedWei, strandedWei, creditableAtSeconds, statement }: UnsettledRecord,
): [object, string][] {
  const named = { chainId, contract, wallet };
  const lines: [object, string][] = [];
  if (creditableAtSeconds === 0n || strandedWei > 0n)
    lines.push([
      { ...named, strandedWei: String(strandedWei) },
      'a wallet gets money back as soon as anybody sends the calls that `ledger unsettled` shows',
    ]);
  if (recordedWei > 0n)
    lines.push([
      {
        ...{ ...named, recordedWei: String(recordedWei) },
        ...(statement && {
          returnedWei: String(statement.returnedWei),
          operations: statement.operations.map(({ userOpHash }) => userOpHash),
        }),
      },
      'failed batch approvals lock money of a wallet; `ledger unsettled` says what the owner of the contract sends',
    ]);
  return lines;
}

/** Changes with every new operation. */
function nameOf(operations: readonly UnsettledOperation[]): string {
  return operations.map(({ userOpHash }) => userOpHash).join();
}
