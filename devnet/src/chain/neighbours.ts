import { numberToHex } from 'viem';
import type { Hex } from '@paymaster/domain';
import { rpc } from './json-rpc';
import { DEV_KEYS } from './dev-keys';

/** Of a chain that they live on: they use half of it, and what is left is as much as anvil's own has. */
export const BLOCK_GAS_LIMIT = 60_000_000;
/** `INVALID`: a call of it uses all its gas at once and does nothing. */
const BURNER = '0x00000000000000000000000000000000b0bb1e5d';
const BURNER_CODE = '0xfe';
/** Where they keep the base fee, unless somebody sets another; wei per gas. */
export const USUAL_BASE_FEE_WEI = 4n * 10n ** 9n;
/** Where they keep it on a test's own chain: operations of these tests offer 2 gwei and tip one; wei per gas. */
const TESTS_BASE_FEE_WEI = 12n * 10n ** 8n;
/** So far it may be from there before they put it back: a block they miss takes an eighth of it away. */
const DRIFT_PERCENT = 3;
/** EIP-1559: an empty block lowers the base fee by one part of so many, a full one raises it as much. */
const MOST_CHANGE = 8;
/** Blocks they look back at, after they missed some. */
const HISTORY_BLOCKS = 64;
/**
 * What they tip, of the base fee: one part of so many. At the usual base fee it is the gwei that anvil suggests to every
 * wallet, and never less, whatever its chain pays: so wallets find the market that they are told of.
 */
const TIP_PART = 4n;
/** The same in blocks that somebody else decides to mine. */
const TIP_PART_OF_MINED = 200n;
/** Blocks of theirs that make a market. */
const SETTLED_BLOCKS = 3;
const LOOK_EVERY_MS = 200;

/**
 * Everybody else on a local chain. Without them its blocks are empty, the base fee falls to a few wei, and the only tips
 * that anybody pays are those of our own operations: wallets double them, the bundler pays them on, and the next wallet
 * doubles what it finds. With them blocks are half full, and the chain's fees do not follow a single operation.
 */
export class Neighbours {
  private timer: NodeJS.Timeout | undefined;
  private lastBlock = 0;
  private targetWei = USUAL_BASE_FEE_WEI;
  /** The base fees that they set last. */
  private ownWei: readonly bigint[] = [];

  private constructor(
    private readonly rpcUrl: string,
    private readonly halfBlockGas: bigint,
  ) {}

  static async moveIn(rpcUrl: string): Promise<Neighbours> {
    await rpc(rpcUrl, 'anvil_setCode', [BURNER, BURNER_CODE]);
    await rpc(rpcUrl, 'anvil_setBalance', [DEV_KEYS.neighbour.address, numberToHex(10n ** 30n)]);
    const { gasLimit } = await rpc<{ gasLimit: Hex }>(rpcUrl, 'eth_getBlockByNumber', ['latest', false]);
    return new Neighbours(rpcUrl, BigInt(gasLimit) / 2n);
  }

  /** Moves in for good, at a low base fee: who reads a test's chain after this finds their market. */
  static async settle(rpcUrl: string): Promise<Neighbours> {
    const neighbours = await Neighbours.moveIn(rpcUrl);
    neighbours.targetWei = TESTS_BASE_FEE_WEI;
    for (let block = 0; block < SETTLED_BLOCKS; block++) {
      await neighbours.mine(TESTS_BASE_FEE_WEI, TESTS_BASE_FEE_WEI / TIP_PART);
    }
    neighbours.start();
    return neighbours;
  }

  /** Puts a transaction of theirs into each block of a chain that mines by itself, until {@link stop}. */
  start(): void {
    this.timer = setTimeout(() => {
      void this.fillNextBlock()
        .catch(() => undefined)
        .finally(() => this.timer && this.start());
    }, LOOK_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Mines a block with what waits in the pool and a transaction of theirs, at this base fee. */
  async mine(baseFeeWei: bigint, tipWei = baseFeeWei / TIP_PART_OF_MINED): Promise<void> {
    await rpc(this.rpcUrl, 'anvil_setNextBlockBaseFeePerGas', [numberToHex(baseFeeWei)]);
    await this.send({ baseFeeWei, tipWei, gas: this.halfBlockGas });
    await rpc(this.rpcUrl, 'evm_mine', []);
  }

  /** One transaction for each block. */
  private async fillNextBlock(): Promise<void> {
    const newest = Number(await rpc<Hex>(this.rpcUrl, 'eth_blockNumber', []));
    if (newest === this.lastBlock) return;
    // One more than is new, for the change that led to the oldest of them.
    const blocks = Math.min(newest - this.lastBlock + 1, newest, HISTORY_BLOCKS);
    this.lastBlock = newest;
    const history = await rpc<FeeHistory>(this.rpcUrl, 'eth_feeHistory', [
      numberToHex(blocks),
      numberToHex(newest),
      [],
    ]);
    const baseFees = history.baseFeePerGas.slice(0, blocks).map(BigInt);
    this.targetWei = lastSetBaseFee(baseFees, history.gasUsedRatio, this.ownWei) ?? this.targetWei;
    const { targetWei } = this;
    const baseFeeWei = baseFees[baseFees.length - 1] ?? targetWei;
    if (isApart(baseFeeWei, targetWei)) {
      const nextWei = within(targetWei, baseFeeWei);
      this.ownWei = [nextWei, ...this.ownWei].slice(0, HISTORY_BLOCKS);
      await rpc(this.rpcUrl, 'anvil_setNextBlockBaseFeePerGas', [numberToHex(nextWei)]);
    }
    await this.send({ baseFeeWei: targetWei, tipWei: targetWei / TIP_PART, gas: this.halfBlockGas });
  }

  private async send({ baseFeeWei, tipWei, gas }: { baseFeeWei: bigint; tipWei: bigint; gas: bigint }): Promise<void> {
    await rpc<Hex>(this.rpcUrl, 'eth_sendTransaction', [
      {
        ...{ from: DEV_KEYS.neighbour.address, to: BURNER, gas: numberToHex(gas) },
        maxFeePerGas: numberToHex(2n * baseFeeWei + tipWei),
        maxPriorityFeePerGas: numberToHex(tipWei),
      },
    ]);
  }
}

interface FeeHistory {
  readonly baseFeePerGas: readonly Hex[];
  readonly gasUsedRatio: readonly number[];
}

/**
 * The newest base fee that does not follow from the block before, that is another, and that is not of their own: somebody
 * set it. Undefined where there is none.
 */
function lastSetBaseFee(
  baseFees: readonly bigint[],
  gasUsedRatios: readonly number[],
  ownWei: readonly bigint[],
): bigint | undefined {
  const set = baseFees.filter((baseFee, index) => {
    const before = baseFees[index - 1];
    const used = gasUsedRatios[index - 1];
    if (before === undefined || used === undefined || baseFee === before || ownWei.includes(baseFee)) return false;
    const expected = Number(before) * (1 + (2 * used - 1) / MOST_CHANGE);
    // A wei is rounded away.
    return Math.abs(Number(baseFee) - expected) > expected / 1_000 + 2;
  });
  return set.at(-1);
}

/**
 * As near to the wanted base fee as one block can bring it: wallets have made room for no more. From below half of it, as
 * after a day without blocks of theirs, it comes back at once.
 */
function within(wantedWei: bigint, baseFeeWei: bigint): bigint {
  const mostWei = baseFeeWei + baseFeeWei / BigInt(MOST_CHANGE);
  return wantedWei > mostWei && wantedWei < 2n * baseFeeWei ? mostWei : wantedWei;
}

function isApart(baseFeeWei: bigint, targetWei: bigint): boolean {
  return Math.abs(Number(baseFeeWei - targetWei)) * 100 > Number(targetWei) * DRIFT_PERCENT;
}
