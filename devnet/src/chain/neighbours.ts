import { numberToHex } from 'viem';
import type { Hex } from '@paymaster/domain';
import { rpc } from './json-rpc';
import { DEV_KEYS } from './dev-keys';

/** Of a chain that they live on: they use half of it, and what is left is as much as anvil's own has. */
export const BLOCK_GAS_LIMIT = 60_000_000;
/** `INVALID`: a call of it uses all its gas at once and does nothing. */
const BURNER = '0x00000000000000000000000000000000b0bb1e5d';
const BURNER_CODE = '0xfe';
/** Where {@link keepBaseFee} leaves word for them, in the burner's storage: every process reaches it by the chain. */
const WANTED_SLOT = '0x0';
/** Where they keep the base fee, unless {@link keepBaseFee} asks for another; wei per gas. */
export const USUAL_BASE_FEE_WEI = 4n * 10n ** 9n;
/** Where they keep it on a test's own chain: operations of these tests offer 2 gwei and tip one; wei per gas. */
const TESTS_BASE_FEE_WEI = 12n * 10n ** 8n;
/** So far it may be from there before they put it back: a block they miss takes an eighth of it away. */
const DRIFT_PERCENT = 3;
/** EIP-1559: an empty block lowers the base fee by one part of so many, a full one raises it as much. */
const MOST_CHANGE = 8;
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
  private lastBlock = '';

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
    await wantBaseFee(rpcUrl, TESTS_BASE_FEE_WEI);
    for (let block = 0; block < SETTLED_BLOCKS; block++) {
      await neighbours.mine(TESTS_BASE_FEE_WEI, TESTS_BASE_FEE_WEI / TIP_PART);
    }
    neighbours.start();
    return neighbours;
  }

  /**
   * Puts a transaction of theirs into each block of a chain that mines by itself, until {@link stop}.
   *
   * @param restMs time after each block in which they do not look for the next; milliseconds
   */
  start(restMs = 0): void {
    this.look({ restMs, afterMs: LOOK_EVERY_MS });
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Mines a block with what waits in the pool and a transaction of theirs, at this base fee. */
  async mine(baseFeeWei: bigint, tipWei = baseFeeWei / TIP_PART_OF_MINED): Promise<void> {
    await setNextBaseFee(this.rpcUrl, baseFeeWei);
    await this.send({ baseFeeWei, tipWei, gas: this.halfBlockGas });
    await rpc(this.rpcUrl, 'evm_mine', []);
  }

  private look({ restMs, afterMs }: { restMs: number; afterMs: number }): void {
    this.timer = setTimeout(() => {
      void this.fillNextBlock()
        .catch(() => false)
        .then((isNew) => this.timer && this.look({ restMs, afterMs: Math.max(LOOK_EVERY_MS, isNew ? restMs : 0) }));
    }, afterMs);
    this.timer.unref();
  }

  /** One transaction for each block. @returns whether there was a new block */
  private async fillNextBlock(): Promise<boolean> {
    const newest = await rpc<Block>(this.rpcUrl, 'eth_getBlockByNumber', ['latest', false]);
    if (newest.number === this.lastBlock) return false;
    this.lastBlock = newest.number;
    const wanted = await rpc<Hex>(this.rpcUrl, 'eth_getStorageAt', [BURNER, WANTED_SLOT, 'latest']);
    const targetWei = BigInt(wanted) || USUAL_BASE_FEE_WEI;
    const baseFeeWei = BigInt(newest.baseFeePerGas);
    if (isApart(baseFeeWei, targetWei)) await setNextBaseFee(this.rpcUrl, within(targetWei, baseFeeWei));
    await this.send({ baseFeeWei: targetWei, tipWei: targetWei / TIP_PART, gas: this.halfBlockGas });
    return true;
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

interface Block {
  readonly number: Hex;
  readonly baseFeePerGas: Hex;
}

/** Sets the base fee of the next block, wei per gas, and has the neighbours keep it there. */
export async function keepBaseFee(rpcUrl: string, baseFeeWei: bigint): Promise<void> {
  await wantBaseFee(rpcUrl, baseFeeWei);
  await setNextBaseFee(rpcUrl, baseFeeWei);
}

const wantBaseFee = (rpcUrl: string, baseFeeWei: bigint): Promise<unknown> =>
  rpc(rpcUrl, 'anvil_setStorageAt', [BURNER, WANTED_SLOT, numberToHex(baseFeeWei, { size: 32 })]);

const setNextBaseFee = (rpcUrl: string, baseFeeWei: bigint): Promise<unknown> =>
  rpc(rpcUrl, 'anvil_setNextBlockBaseFeePerGas', [numberToHex(baseFeeWei)]);

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
