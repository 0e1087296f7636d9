import { randomFrom } from '../../../../../proofs/siphon/adversary';

type Random = () => number;

/** One block as far as prices go. Wei are numbers here: none comes near 2^53. */
export interface PricedBlock {
  readonly atMs: number;
  readonly baseFeeWei: number;
  /** The used gas as a part of the gas limit; `eth_feeHistory` calls it `gasUsedRatio`. */
  readonly fullness: number;
  /** Whether a transaction of usual size found no room: what op-geth calls "at capacity". */
  readonly isAtCapacity: boolean;
  /** Lowest tip first. */
  readonly transactions: readonly PricedTransaction[];
}

interface PricedTransaction {
  readonly tipWei: number;
  readonly gas: number;
}

/** Blocks of one chain (a calm hour and rushes), and the kind of node that serves them. */
export interface FeeHistory {
  /** As `viem/chains` calls it. */
  readonly chain: 'mainnet' | 'base' | 'arbitrum' | 'polygon' | 'bsc';
  readonly chainId: number;
  readonly node: 'geth' | 'bor' | 'opGeth' | 'nitro';
  readonly blockMs: number;
  readonly blocks: readonly PricedBlock[];
}

/** A sudden demand for gas that stays for a while and ends suddenly: a mint, an airdrop, a liquidation. */
interface Rush {
  readonly fromBlock: number;
  readonly blocks: number;
  /** The price that senders accept for gas during the rush, as a multiple of the usual price. */
  readonly times: number;
}

interface Habits extends Omit<FeeHistory, 'blocks'> {
  readonly count: number;
  /** The price that senders without a hurry accept: about the base fee at that time. Wei. */
  readonly worthWei: number;
  /** The base fee of the next block, of this one's and of how full it is. */
  readonly nextBaseFeeWei: (baseFeeWei: number, fullness: number) => number;
  /** How full blocks are where the base fee stands still. */
  readonly target: number;
  readonly transactionsOfFullBlock: number;
  readonly tipWei: (random: Random) => number;
  /** The lowest tip that the chain accepts; wei. */
  readonly leastTipWei: number;
  readonly rushes: readonly Rush[];
}

const GWEI = 1e9;

/** The recurrence of EIP-1559 with a chain's own constants. */
const eip1559 =
  ({ target, denominator, leastWei = 7 }: { target: number; denominator: number; leastWei?: number }) =>
  (baseFeeWei: number, fullness: number): number =>
    Math.max(leastWei, Math.floor(baseFeeWei * (1 + (fullness / target - 1) / denominator)));

const between = (random: Random, least: number, most: number): number => least * (most / least) ** random();
/** A random kind of sender; each kind has its share of all transactions. */
const oneOf = (random: Random, kinds: ReadonlyArray<readonly [share: number, tipWei: () => number]>): number => {
  let at = random();
  for (const [share, tipWei] of kinds) if ((at -= share) < 0) return tipWei();
  return kinds.at(-1)![1]();
};
/** About normally distributed, of variance 1. */
const bell = (random: Random): number => (random() + random() + random() + random() - 2) * 1.73;

/** The most gas that its sequencer processes, as a multiple of the speed limit. */
const NITRO_CAPACITY = 3.5;

/** Arbitrum has no recurrence by blocks: the price is exponential in the gas that is above the speed limit so far. */
function nitroPricing(leastWei: number) {
  const [inertiaSeconds, toleranceSeconds, blockSeconds] = [102, 10, 0.25];
  let backlogSeconds = 0;
  return (_baseFeeWei: number, fullness: number): number => {
    // Full blocks hold some three times the gas of the speed limit: in no rush has the sequencer processed more.
    backlogSeconds = Math.max(0, backlogSeconds + blockSeconds * (NITRO_CAPACITY * fullness - 1));
    return Math.floor(leastWei * Math.exp(Math.max(0, backlogSeconds - toleranceSeconds) / inertiaSeconds));
  };
}

const HABITS: readonly Habits[] = [
  {
    // A usual day at 15 gwei. In a mint like that of 1 May 2022 blocks are full for minutes and tips are hundreds of gwei.
    ...{
      chain: 'mainnet',
      chainId: 1,
      node: 'geth',
      blockMs: 12_000,
      count: 2_400,
      worthWei: 15 * GWEI,
      leastTipWei: 0,
    },
    ...{ target: 0.5, nextBaseFeeWei: eip1559({ target: 0.5, denominator: 8 }), transactionsOfFullBlock: 250 },
    tipWei: (random) =>
      oneOf(random, [
        [0.12, () => between(random, 1, 0.01 * GWEI)],
        [0.4, () => between(random, 0.05 * GWEI, 1.5 * GWEI)],
        [0.38, () => between(random, 1 * GWEI, 2.5 * GWEI)],
        [0.1, () => between(random, 3 * GWEI, 60 * GWEI)],
      ]),
    rushes: [
      { fromBlock: 600, blocks: 40, times: 30 },
      { fromBlock: 1_300, blocks: 12, times: 4 },
      { fromBlock: 1_800, blocks: 150, times: 3 },
    ],
  },
  {
    // Tips are 86 % of what Base earns (Galaxy, 2025): those who hurry pay a multiple of the base fee, wallets what the
    // node says, and senders of spam less.
    ...{
      chain: 'base',
      chainId: 8_453,
      node: 'opGeth',
      blockMs: 2_000,
      count: 16_200,
      worthWei: 0.005 * GWEI,
      leastTipWei: 0,
    },
    ...{ target: 1 / 3, nextBaseFeeWei: eip1559({ target: 1 / 3, denominator: 125 }), transactionsOfFullBlock: 150 },
    tipWei: (random) =>
      oneOf(random, [
        [0.35, () => between(random, 1e3, 1e6)],
        [0.35, () => between(random, 1e6, 2e6)],
        [0.2, () => between(random, 2e6, 1e8)],
        [0.1, () => between(random, 1e8, 5e9)],
      ]),
    rushes: [
      { fromBlock: 4_000, blocks: 300, times: 12 },
      { fromBlock: 11_000, blocks: 30, times: 40 },
    ],
  },
  {
    // 20 June 2024: from 0.01 to 34.7 gwei when an airdrop was opened. This sequencer orders by arrival and not by
    // tips.
    ...{
      chain: 'arbitrum',
      chainId: 42_161,
      node: 'nitro',
      blockMs: 250,
      count: 12_000,
      worthWei: 0.01 * GWEI,
      leastTipWei: 0,
    },
    ...{
      target: 1 / NITRO_CAPACITY,
      nextBaseFeeWei: nitroPricing(0.01 * GWEI),
      transactionsOfFullBlock: 0,
      tipWei: () => 0,
    },
    rushes: [
      { fromBlock: 3_000, blocks: 2_400, times: 3_000 },
      { fromBlock: 9_000, blocks: 600, times: 20 },
    ],
  },
  {
    // No node passes on a tip below 30 gwei, whatever the base fee is; a mint multiplies it within a minute.
    ...{
      chain: 'polygon',
      chainId: 137,
      node: 'bor',
      blockMs: 2_000,
      count: 3_000,
      worthWei: 60 * GWEI,
      leastTipWei: 30 * GWEI,
    },
    ...{ target: 0.5, nextBaseFeeWei: eip1559({ target: 0.5, denominator: 16 }), transactionsOfFullBlock: 150 },
    tipWei: (random) =>
      oneOf(random, [
        [0.55, () => between(random, 30 * GWEI, 32 * GWEI)],
        [0.3, () => between(random, 32 * GWEI, 60 * GWEI)],
        [0.15, () => between(random, 60 * GWEI, 900 * GWEI)],
      ]),
    rushes: [
      { fromBlock: 800, blocks: 90, times: 15 },
      { fromBlock: 2_100, blocks: 300, times: 4 },
    ],
  },
  {
    // The base fee is zero. Validators take nothing below 0.05 gwei since 2025; wallets often offer 0.1 or 1 gwei.
    ...{ chain: 'bsc', chainId: 56, node: 'geth', blockMs: 750, count: 6_000, worthWei: 1, leastTipWei: 0.05 * GWEI },
    ...{ target: 0.4, nextBaseFeeWei: () => 0, transactionsOfFullBlock: 150 },
    tipWei: (random) =>
      oneOf(random, [
        [0.5, () => 0.05 * GWEI],
        [0.3, () => 0.1 * GWEI],
        [0.15, () => between(random, 0.1 * GWEI, 1 * GWEI)],
        [0.05, () => between(random, 1 * GWEI, 20 * GWEI)],
      ]),
    rushes: [
      { fromBlock: 1_500, blocks: 200, times: 6 },
      { fromBlock: 4_000, blocks: 40, times: 20 },
    ],
  },
];

/** A day of empty blocks behind the first hours of a history, and one user at its end. */
export function quietAfter({ blockMs, blocks, ...history }: FeeHistory): FeeHistory {
  const busy = blocks.slice(0, QUIET_FROM_BLOCK);
  const nextBaseFeeWei = eip1559({ target: 0.5, denominator: 8 });
  const quiet: PricedBlock[] = [];
  let baseFeeWei = busy.at(-1)!.baseFeeWei;
  for (let number = busy.length; quiet.length * blockMs < DAY_MS; number++) {
    baseFeeWei = nextBaseFeeWei(baseFeeWei, 0);
    quiet.push({ atMs: number * blockMs, baseFeeWei, fullness: 0, isAtCapacity: false, transactions: [] });
  }
  return { ...history, blockMs, blocks: [...busy, ...quiet] };
}

const QUIET_FROM_BLOCK = 500;
const DAY_MS = 86_400_000;

/** Histories of five chains; the same seed makes the same histories. */
export function feeHistories(seed: number): readonly FeeHistory[] {
  return HABITS.map((habits, index) => ({ ...habits, blocks: blocksOf(habits, randomFrom(seed + index)) }));
}

function blocksOf(habits: Habits, random: Random): readonly PricedBlock[] {
  const blocks: PricedBlock[] = [];
  let baseFeeWei = habits.nextBaseFeeWei(habits.worthWei, habits.target);
  let mood = 0;
  for (let number = 0; number < habits.count; number++) {
    // The price that senders accept drifts, within a factor of about two.
    mood = 0.995 * mood + 0.04 * bell(random);
    const worth = Math.exp(mood) * timesOf(habits.rushes, number);
    const wanted = wantedOf(habits, { worth, baseFeeWei }) * Math.exp(0.35 * bell(random));
    const fullness = random() < 0.005 ? 0 : Math.min(1, wanted);
    const transactions = transactionsOf(habits, { fullness, pressure: Math.max(1, wanted) }, random);
    const isAtCapacity = wanted >= 0.97;
    blocks.push({ atMs: number * habits.blockMs, baseFeeWei, fullness, isAtCapacity, transactions });
    baseFeeWei = habits.nextBaseFeeWei(baseFeeWei, fullness);
  }
  return blocks;
}

function timesOf(rushes: readonly Rush[], number: number): number {
  return rushes.find(({ fromBlock, blocks }) => number >= fromBlock && number < fromBlock + blocks)?.times ?? 1;
}

/** The part of the senders without a hurry that pays any price. */
const ANY_PRICE = 0.1;

/** The demand for gas at this price, as a part of a block; in a rush it is above 1. */
function wantedOf({ target, worthWei }: Habits, { worth, baseFeeWei }: { worth: number; baseFeeWei: number }): number {
  return target * Math.max(ANY_PRICE, baseFeeWei === 0 ? worth : ((worth * worthWei) / baseFeeWei) ** 1.5);
}

/** If the demand is above what fits into a block, tips decide, and rise with the demand. */
function transactionsOf(
  { transactionsOfFullBlock, tipWei, leastTipWei }: Habits,
  { fullness, pressure }: { fullness: number; pressure: number },
  random: Random,
): readonly PricedTransaction[] {
  const all = Array.from({ length: Math.round(transactionsOfFullBlock * fullness) }, () => ({
    tipWei: Math.max(leastTipWei, Math.round(tipWei(random) * pressure)),
    gas: Math.round(between(random, 21_000, 600_000)),
  }));
  return all.sort((one, other) => one.tipWei - other.tipWei);
}
