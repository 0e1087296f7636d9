import type { Address } from '@paymaster/domain';
import type { Lease, SettlementBooks, TimedBlockRef } from '@paymaster/ledger/settlement';
import { ViewsAtBlock } from './views-at-block';
import type { ChainSource } from './chain-source';

/**
 * The most wallets of a contract about which one step asks the chain, because anybody can make wallets that request a
 * wei.
 */
const ASKED_AT_ONCE = 20;

/**
 * Lets a wallet spend the amount of a withdrawal request again once the request is void. A request is void when its
 * window has passed at the final block, because no later block can execute it. The contract emits no event then, so it
 * is asked.
 */
export class VoidWithdrawals {
  private readonly windows = new Map<Address, bigint | undefined>();

  constructor(
    private readonly books: Pick<SettlementBooks, 'requestsToAsk' | 'noteRequests'>,
    private readonly source: Pick<ChainSource, 'callAt'>,
    /** Our contracts on the chain. */
    private readonly contracts: readonly Address[],
  ) {}

  /** Asks about the requests that may be void at the final block. */
  async end(lease: Lease, final: TimedBlockRef): Promise<void> {
    const views = new ViewsAtBlock(this.source, final.hash);
    for (const contract of this.contracts) await this.endOf(contract, { lease, final, views });
  }

  private async endOf(
    contract: Address,
    { lease, final, views }: { lease: Lease; final: TimedBlockRef; views: ViewsAtBlock },
  ): Promise<void> {
    const windowSeconds = this.windows.get(contract);
    // Requests of the first generation never end.
    if (this.windows.has(contract) && windowSeconds === undefined) return;
    const wallets = await this.books.requestsToAsk({
      ...{ chainId: lease.chainId, contract, limit: ASKED_AT_ONCE },
      dueBeforeSeconds: final.timeSeconds - Number(windowSeconds ?? 0n),
    });
    if (wallets.length === 0) return;
    if (!this.windows.has(contract)) {
      this.windows.set(contract, await views.withdrawalWindowSeconds(contract));
      return this.endOf(contract, { lease, final, views });
    }
    const requests = await Promise.all(
      wallets.map(async (wallet) => {
        const { requestedWei, executableAtSeconds } = await views.withdrawal(contract, wallet);
        const endsAtSeconds = executableAtSeconds + windowSeconds!;
        const isVoid = requestedWei === 0n || endsAtSeconds <= BigInt(final.timeSeconds);
        return { wallet, dueAtSeconds: Number(executableAtSeconds), isVoid };
      }),
    );
    await this.books.noteRequests(lease, { block: final, contract, requests });
  }
}
