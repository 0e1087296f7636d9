import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Interface, toBeHex, type JsonRpcProvider } from 'ethers';
import { GAS_PRICE_ORACLE } from '../l1-fees/op-stack-fees';

const L1_BLOCK = '0x4200000000000000000000000000000000000015';
/** The address of the real oracle, behind the oracle that knows the operator fee. */
const FJORD_ORACLE = '0xc0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3000f';

interface Contracts {
  readonly GasPriceOracle: string;
  readonly L1Block: string;
}

/** The L1 prices of an OP stack chain, and the scalars by which its users pay for them; wei, scalars in millionths. */
export interface L1Prices {
  readonly l1BaseFee: bigint;
  readonly blobBaseFee: bigint;
  readonly baseFeeScalar: bigint;
  readonly blobBaseFeeScalar: bigint;
  readonly operatorFeeScalar?: bigint;
  readonly operatorFeeConstant?: bigint;
}

/** The contracts of an OP stack chain that L1 fees are computed with, as Optimism has compiled them (Fjord). */
export class OpStackContracts {
  private readonly contracts = JSON.parse(
    readFileSync(join(process.cwd(), 'libs/gas/src/testing/op-stack-bytecode.json'), 'utf8'),
  ) as Contracts;

  constructor(private readonly rpc: JsonRpcProvider) {}

  async install(upgrade: 'ecotone' | 'fjord'): Promise<void> {
    await this.rpc.send('anvil_setCode', [GAS_PRICE_ORACLE, this.contracts.GasPriceOracle]);
    await this.rpc.send('anvil_setCode', [L1_BLOCK, this.contracts.L1Block]);
    await this.store(GAS_PRICE_ORACLE, 0n, upgrade === 'fjord' ? 0x0101n : 0x01n);
  }

  /** Slots of L1Block as its storage layout has them; Isthmus added the eighth. */
  async setPrices(prices: L1Prices): Promise<void> {
    const { l1BaseFee, blobBaseFee, baseFeeScalar, blobBaseFeeScalar } = prices;
    await this.store(L1_BLOCK, 1n, l1BaseFee);
    await this.store(L1_BLOCK, 3n, (baseFeeScalar << 96n) | (blobBaseFeeScalar << 64n));
    await this.store(L1_BLOCK, 7n, blobBaseFee);
    await this.store(L1_BLOCK, 8n, ((prices.operatorFeeScalar ?? 0n) << 64n) | (prices.operatorFeeConstant ?? 0n));
  }

  /**
   * Puts an oracle in front of the real one that also has `getOperatorFee`, which came with Isthmus.
   *
   * @param oracle code of a contract that forwards every other call to {@link FJORD_ORACLE}
   */
  async installBefore(oracle: string): Promise<void> {
    await this.rpc.send('anvil_setCode', [FJORD_ORACLE, this.contracts.GasPriceOracle]);
    await this.rpc.send('anvil_setCode', [GAS_PRICE_ORACLE, oracle]);
  }

  /** What the oracle says of an unsigned transaction; wei. */
  async l1FeeWei(transaction: Uint8Array): Promise<bigint> {
    const data = new Interface(['function getL1Fee(bytes)']).encodeFunctionData('getL1Fee', [transaction]);
    return BigInt(await this.rpc.call({ to: GAS_PRICE_ORACLE, data }));
  }

  private async store(address: string, slot: bigint, value: bigint): Promise<void> {
    await this.rpc.send('anvil_setStorageAt', [address, toBeHex(slot), toBeHex(value, 32)]);
  }
}
