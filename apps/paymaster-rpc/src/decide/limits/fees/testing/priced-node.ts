import type { FeeHistory, PricedBlock } from './fee-histories';

/**
 * How geth's oracle works: how many blocks it reads, how many of the lowest tips of each block, and which percentile of
 * all of them it suggests.
 */
const GETH = { blocks: 20, tipsOfBlock: 3, percentile: 60, ignoredBelowWei: 2, mostWei: 500e9 } as const;
/** op-geth's `DefaultMinSuggestedPriorityFee`; wei. */
const OP_LEAST_WEI = 1e6;
const GAS_LIMIT = 30_000_000;
/** Of a whole number that is not negative. viem's own looks at each number's bounds, which took most of the time. */
const hex = (value: number): string => `0x${value.toString(16)}`;

/**
 * A JSON-RPC node of one chain that answers as if a given block were the newest, in the manner of the chain's own
 * software.
 */
export class PricedNode {
  private readonly suggested: number[] = [];

  /** @param restartEveryBlocks after each restart it has no blocks from before */
  constructor(
    private readonly history: FeeHistory,
    private readonly restartEveryBlocks = Infinity,
  ) {
    // The oracle repeats its last answer where blocks are empty, so it reads block after block.
    for (let head = 0; head < history.blocks.length; head++) this.suggested.push(this.suggestAt(head));
  }

  /** The answer to a request, in JSON. */
  answer(head: number, method: string, params: readonly unknown[] = []): unknown {
    switch (method) {
      case 'eth_chainId':
        return hex(this.history.chainId);
      case 'eth_blockNumber':
        return hex(head);
      case 'eth_maxPriorityFeePerGas':
        return hex(this.suggested[head]!);
      case 'eth_gasPrice':
        return hex(this.suggested[head]! + this.block(head).baseFeeWei);
      case 'eth_getBlockByNumber':
        return this.header(head);
      case 'eth_feeHistory':
        return this.feeHistory(head, params as [string, string, readonly number[]]);
      default:
        throw Object.assign(new Error(`the method ${method} does not exist`), { code: -32601 });
    }
  }

  private block(number: number): PricedBlock {
    return this.history.blocks[number]!;
  }

  private header(number: number): object {
    const { baseFeeWei, fullness, atMs } = this.block(number);
    return {
      ...{ number: hex(number), baseFeePerGas: hex(baseFeeWei), transactions: [], uncles: [] },
      ...{ gasLimit: hex(GAS_LIMIT), gasUsed: hex(Math.round(GAS_LIMIT * fullness)) },
      timestamp: hex(Math.floor(atMs / 1_000)),
    };
  }

  private feeHistory(head: number, [count, newest, percentiles]: [string, string, readonly number[]]): object {
    const last = newest === 'latest' ? head : Number(newest);
    const oldest = Math.max(0, last - Number(count) + 1);
    const restarts = Math.floor(head / this.restartEveryBlocks);
    if (restarts > 0 && oldest < restarts * this.restartEveryBlocks) return withoutOldBlocks(restarts, oldest);
    const blocks = this.history.blocks.slice(oldest, last + 1);
    const next = this.history.blocks[last + 1] ?? this.block(last);
    return {
      oldestBlock: hex(oldest),
      baseFeePerGas: [...blocks, next].map(({ baseFeeWei }) => hex(baseFeeWei)),
      gasUsedRatio: blocks.map(({ fullness }) => fullness),
      reward: blocks.map((block) => percentiles.map((percentile) => hex(tipAt(block, percentile)))),
    };
  }

  /** The tip that the node suggests to wallets; wei. */
  private suggestAt(head: number): number {
    const { node } = this.history;
    if (node === 'nitro') return 0;
    return node === 'opGeth' ? this.suggestAsOpGeth(head) : this.suggestAsGeth(head);
  }

  private suggestAsGeth(head: number): number {
    const before = this.suggested.at(-1) ?? 0;
    const tips: number[] = [];
    for (let number = head, left: number = GETH.blocks; left > 0 && number >= 0; number--) {
      const { transactions } = this.block(number);
      const lowest = transactions.filter(({ tipWei }) => tipWei >= GETH.ignoredBelowWei).slice(0, GETH.tipsOfBlock);
      const values = lowest.length === 0 ? [before] : lowest.map(({ tipWei }) => tipWei);
      // If a block has hardly any transactions, the oracle reads one more block.
      if (values.length > 1 || tips.length + left >= 2 * GETH.blocks) left -= 1;
      tips.push(...values);
    }
    tips.sort((one, other) => one - other);
    return Math.min(GETH.mostWei, tips[Math.floor(((tips.length - 1) * GETH.percentile) / 100)] ?? before);
  }

  /** A constant, unless the last block was full: then the median tip of its transactions plus a tenth. */
  private suggestAsOpGeth(head: number): number {
    const { isAtCapacity, transactions } = this.block(head);
    if (!isAtCapacity || transactions.length === 0) return OP_LEAST_WEI;
    const median = transactions[Math.floor(transactions.length / 2)]!.tipWei;
    return Math.min(GETH.mostWei, Math.max(OP_LEAST_WEI, median + Math.floor(median / 10)));
  }
}

/** As anvil does: an error, or empty lists. */
function withoutOldBlocks(restarts: number, oldest: number): object {
  if (restarts % 2 === 0) {
    throw Object.assign(new Error('requested block range is out of bounds'), { code: -32602 });
  }
  return { oldestBlock: hex(oldest), baseFeePerGas: [], gasUsedRatio: [], reward: [] };
}

/** Kept results by block, because several clients ask for the same block. */
const known = new WeakMap<PricedBlock, Map<number, number>>();

/** The tip at a percentile of a block's gas; zero for an empty block. */
export function tipAt(block: PricedBlock, percentile: number): number {
  const ofBlock = known.get(block) ?? new Map<number, number>();
  known.set(block, ofBlock);
  const tipWei = ofBlock.get(percentile) ?? computeTipAt(block, percentile);
  ofBlock.set(percentile, tipWei);
  return tipWei;
}

function computeTipAt({ transactions }: PricedBlock, percentile: number): number {
  const used = transactions.reduce((sum, { gas }) => sum + gas, 0);
  let passed = 0;
  for (const { gas, tipWei } of transactions) if ((passed += gas) >= (used * percentile) / 100) return tipWei;
  return transactions.at(-1)?.tipWei ?? 0;
}
