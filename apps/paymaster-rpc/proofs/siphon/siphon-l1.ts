import { brotliCompressSync, constants } from 'node:zlib';
import { getBytes, JsonRpcProvider, Transaction, type TransactionLike } from 'ethers';
import { OpStackContracts } from '@paymaster/gas/testing';

export const ROLLUPS = ['opStack', 'arbitrum'] as const;
export type Rollup = (typeof ROLLUPS)[number];

/** Base on a usual day: shares of blobs and call data, in millionths. */
const SCALARS = { baseFeeScalar: 5_227n, blobBaseFeeScalar: 1_014_213n } as const;
const L1_BASE_FEE_WEI = 15_000_000_000n;
const BLOB_BASE_FEE_WEI = 1_000_000n;
/** The price of a unit of data on Arbitrum on such a day; a byte after brotli has 16 units. Wei. */
const WEI_PER_UNIT = 100_000_000n;
const UNITS_PER_BYTE = 16n;

const ARB_SYS = '0x0000000000000000000000000000000000000064';
const ARB_OWNER_PUBLIC = '0x000000000000000000000000000000000000006b';
const ARB_GAS_INFO = '0x000000000000000000000000000000000000006c';
/** Code that answers every call with one word. */
const answering = (word: bigint): string => `0x7f${word.toString(16).padStart(64, '0')}5f5260205ff3`;

/**
 * The L1 fees of a rollup, as its contracts report them: the real GasPriceOracle of the OP stack, or Arbitrum's
 * precompiles, emulated at their addresses (brotli level 0, as on chains without that method).
 */
export class SiphonL1 {
  private readonly opStack: OpStackContracts;
  private weiPerUnit = 0n;

  private constructor(
    readonly rollup: Rollup,
    private readonly rpc: JsonRpcProvider,
  ) {
    this.opStack = new OpStackContracts(rpc);
  }

  static async install(rollup: Rollup, { url, chainId }: { url: string; chainId: number }): Promise<SiphonL1> {
    const l1 = new SiphonL1(rollup, new JsonRpcProvider(url, chainId, { staticNetwork: true, cacheTimeout: -1 }));
    if (rollup === 'opStack') await l1.opStack.install('fjord');
    else {
      await l1.setCode(ARB_SYS, '0xfe');
      await l1.setCode(ARB_OWNER_PUBLIC, answering(0n));
    }
    await l1.setPrice(1);
    return l1;
  }

  /** Sets the price of L1 data to a multiple of its usual price. */
  async setPrice(times: number): Promise<void> {
    const timesUsual = (wei: bigint): bigint => (wei * BigInt(Math.round(times * 1e6))) / 1_000_000n;
    const [l1BaseFee, blobBaseFee] = [timesUsual(L1_BASE_FEE_WEI), timesUsual(BLOB_BASE_FEE_WEI)];
    this.weiPerUnit = timesUsual(WEI_PER_UNIT);
    if (this.rollup === 'opStack') await this.opStack.setPrices({ ...SCALARS, l1BaseFee, blobBaseFee });
    else await this.setCode(ARB_GAS_INFO, answering(this.weiPerUnit));
  }

  /** What the chain now takes for the data of a transaction, in addition to its gas; wei. */
  async feeWei(hash: string): Promise<bigint> {
    const { type, chainId, nonce, to, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas, signature } =
      (await this.rpc.getTransaction(hash)) as unknown as TransactionLike;
    const fields = { type, chainId, nonce, to, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
    if (this.rollup === 'opStack') return this.opStack.l1FeeWei(getBytes(Transaction.from(fields).unsignedSerialized));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 22 };
    const signed = getBytes(Transaction.from({ ...fields, signature }).serialized);
    return UNITS_PER_BYTE * BigInt(brotliCompressSync(signed, { params }).length) * this.weiPerUnit;
  }

  stop(): void {
    this.rpc.destroy();
  }

  private setCode(address: string, code: string): Promise<unknown> {
    return this.rpc.send('anvil_setCode', [address, code]);
  }
}
