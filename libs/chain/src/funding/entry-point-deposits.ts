import { DependencyUnavailableError, type Address } from '@paymaster/domain';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import type { ChainConfig, EntryPointConfig } from '../chains/chain-config';
import { parseWords } from '../json-rpc/parse';
import type { ChainReads } from '../providers/agreed-reads';
import { CallRevertedError } from '../providers/eth-call';

/** `balanceOf(address) returns (uint256)` of the EntryPoint. */
const BALANCE_OF = '0x70a08231';
/** How often deposits are read; milliseconds. */
const DEFAULT_REFRESH_MS = 5_000;
/** How old a reading may be to be used; milliseconds. */
const DEFAULT_MAX_AGE_MS = 60_000;

export interface EntryPointDepositsOptions {
  readonly refreshMs?: number;
  readonly maxAgeMs?: number;
  readonly clock?: MonotonicClock;
  /** Called with the reason why a reading failed. */
  readonly onFault?: (error: unknown) => void;
}

interface Reading {
  readonly atMs: number;
  readonly wei: bigint;
}

/**
 * Our contracts' own deposits in the EntryPoints of a chain: every operation is paid out of them. A deposit holds the
 * money of all wallets together, so it is watched and not reserved. It is read in the background, so that no request
 * waits for it.
 */
export class EntryPointDeposits {
  private readonly readings = new Map<Address, Reading>();
  private readonly running = new Map<Address, Promise<bigint>>();
  private readonly refreshMs: number;
  private readonly maxAgeMs: number;
  private readonly clock: MonotonicClock;
  private readonly onFault: (error: unknown) => void;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly chain: Pick<ChainConfig, 'chainId' | 'entryPoints'>,
    private readonly provider: Pick<ChainReads, 'ethCall'>,
    options: EntryPointDepositsOptions = {},
  ) {
    this.refreshMs = options.refreshMs ?? DEFAULT_REFRESH_MS;
    this.maxAgeMs = options.maxAgeMs ?? DEFAULT_MAX_AGE_MS;
    this.clock = options.clock ?? monotonicClock;
    this.onFault = options.onFault ?? (() => undefined);
  }

  /** Reads all deposits now and from time to time. Never rejects: the chain's own health check reports faults. */
  async start(): Promise<void> {
    await Promise.all(this.contracts().map((contract) => this.read(contract).catch(this.onFault)));
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.start(), this.refreshMs);
    this.timer.unref();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /**
   * The deposit in an EntryPoint of this chain; wei. From memory, unless it was not read for a minute.
   *
   * @throws {DependencyUnavailableError} `chain`, when it cannot be read
   */
  depositWei(entryPoint: Address): bigint | Promise<bigint> {
    const known = this.readings.get(entryPoint);
    if (known && this.clock() - known.atMs < this.maxAgeMs) return known.wei;
    const contract = this.contracts().find((each) => each.entryPoint === entryPoint);
    if (!contract) throw new Error(`EntryPoint ${entryPoint} is not served on chain ${this.chain.chainId}`);
    return this.read(contract);
  }

  /** The last reading of each EntryPoint, however old it is; for metrics. */
  known(): ReadonlyArray<{ readonly entryPoint: Address; readonly wei: bigint }> {
    return [...this.readings].map(([entryPoint, { wei }]) => ({ entryPoint, wei }));
  }

  /** Callers that ask meanwhile share one read. */
  private read(contract: EntryPointConfig): Promise<bigint> {
    const running = this.running.get(contract.entryPoint);
    if (running) return running;
    const started = this.ask(contract).finally(() => this.running.delete(contract.entryPoint));
    this.running.set(contract.entryPoint, started);
    return started;
  }

  private async ask({ entryPoint, paymaster }: EntryPointConfig): Promise<bigint> {
    const atMs = this.clock();
    const data = `${BALANCE_OF}${paymaster.slice(2).padStart(64, '0')}` as const;
    try {
      const wei = await this.provider.ethCall({ to: entryPoint, data }, (returned) => {
        const [first = 0n] = parseWords(returned, 1, `balanceOf of ${entryPoint}`);
        return first;
      });
      this.readings.set(entryPoint, { atMs, wei });
      return wei;
    } catch (cause) {
      // No EntryPoint reverts here, so a revert means a wrong address or a broken node.
      if (!(cause instanceof CallRevertedError)) throw cause;
      throw new DependencyUnavailableError('chain', `the deposit in EntryPoint ${entryPoint} cannot be read`, {
        cause,
      });
    }
  }

  private contracts(): readonly EntryPointConfig[] {
    return Object.values(this.chain.entryPoints);
  }
}
