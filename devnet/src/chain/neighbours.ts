import { numberToHex } from 'viem';
import type { Hex } from '@paymaster/domain';
import { rpc } from '../operations/json-rpc';
import { DEV_KEYS } from './dev-keys';

/** `INVALID`: a call of it uses all its gas at once and does nothing. */
const BURNER = '0x00000000000000000000000000000000b0bb1e5d';
const BURNER_CODE = '0xfe';
/** Half of a block leaves the base fee where it is: so much more raises it, so much less lowers it. */
const NUDGE_GAS = 1_000_000n;
/** Where they keep the base fee, unless somebody sets another; wei per gas. */
const USUAL_BASE_FEE_WEI = 10n ** 9n;
/** What they tip there: what anvil suggests to every wallet, and never less, whatever its chain pays; wei per gas. */
const USUAL_TIP_WEI = 10n ** 9n;
/** What they tip elsewhere, of the base fee: one part of so many. */
const TIP_PART = 200n;
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
  async mine(baseFeeWei: bigint): Promise<void> {
    await rpc(this.rpcUrl, 'anvil_setNextBlockBaseFeePerGas', [numberToHex(baseFeeWei)]);
    await this.send({ baseFeeWei, tipWei: baseFeeWei / TIP_PART, gas: this.halfBlockGas });
    await rpc(this.rpcUrl, 'evm_mine', []);
  }

  /** One transaction for each block. */
  private async fillNextBlock(): Promise<void> {
    const block = await rpc<{ number: Hex; baseFeePerGas: Hex }>(this.rpcUrl, 'eth_getBlockByNumber', [
      'latest',
      false,
    ]);
    if (block.number === this.lastBlock) return;
    this.lastBlock = block.number;
    const baseFeeWei = BigInt(block.baseFeePerGas);
    const nudge = baseFeeWei < USUAL_BASE_FEE_WEI ? NUDGE_GAS : -NUDGE_GAS;
    const isUsual = 5n * baseFeeWei > 4n * USUAL_BASE_FEE_WEI && 4n * baseFeeWei < 5n * USUAL_BASE_FEE_WEI;
    const tipWei = isUsual ? USUAL_TIP_WEI : baseFeeWei / TIP_PART;
    await this.send({ baseFeeWei, tipWei, gas: this.halfBlockGas + nudge });
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
