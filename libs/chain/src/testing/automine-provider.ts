import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpcProvider, type TransactionReceipt } from 'ethers';

/** How long a chain that mines at once may take; milliseconds. */
const MINED_WITHIN_MS = 60_000;
const LOOK_MS = 10;

/**
 * A provider for a chain that mines each transaction at once and makes no other blocks. If ethers looks for the receipt
 * before the transaction is mined, it waits for a later block, which never comes. This provider asks for the receipt
 * again until it is there.
 */
export class AutomineProvider extends JsonRpcProvider {
  /** Waits for the receipt; null only when it does not come within a minute. */
  override async getTransactionReceipt(hash: string): Promise<TransactionReceipt | null> {
    const endsAtMs = performance.now() + MINED_WITHIN_MS;
    for (;;) {
      const receipt = await super.getTransactionReceipt(hash);
      if (receipt || performance.now() >= endsAtMs) return receipt;
      await sleep(LOOK_MS);
    }
  }

  override waitForTransaction(hash: string): Promise<TransactionReceipt | null> {
    return this.getTransactionReceipt(hash);
  }
}
