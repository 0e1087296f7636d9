import { brotliCompressSync, constants } from 'node:zlib';
import { createHash } from 'node:crypto';
import { CallRevertedError, parseWords, type ChainReads } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import type { MonotonicClock } from '@paymaster/turns';
import { NO_OPERATOR_FEE, type L1FeeReader, type L1FeeReading, type L1FeeScheme } from './l1-fee-scheme';

/** A precompile of Arbitrum chains. Its account has code there, the one byte 0xfe. */
export const ARB_SYS: Address = '0x0000000000000000000000000000000000000064';
/** Units of a byte: what Ethereum takes for a byte of call data that is not zero; gas. */
const UNITS_PER_BYTE = 16n;
/**
 * Bundlers ask NodeInterface, which pads three times: by 16 bytes (about 2 % of an operation), by 1 % and by 10 %. The
 * head room also covers what one Ethereum block can move. The price itself follows reports of batches and has no such
 * bound.
 */
const HEAD_ROOM_THOUSANDTHS = 1_280n;
/** The signature of the transaction: as long as in its RLP form, and as random. */
const TRANSACTION_SIGNATURE = createHash('shake256', { outputLength: 67 }).update('transaction').digest();

const ARB_GAS_INFO: Address = '0x000000000000000000000000000000000000006c';
/** `getL1BaseFeeEstimate() returns (uint256)`: wei per unit. */
const GET_L1_BASE_FEE_ESTIMATE: Hex = '0xf5d6ded7';
const ARB_OWNER_PUBLIC: Address = '0x000000000000000000000000000000000000006b';
/** `getBrotliCompressionLevel() returns (uint64)`, since ArbOS 20. */
const GET_BROTLI_COMPRESSION_LEVEL: Hex = '0x22d499c7';
/** The level for chains without that method. */
const FIRST_LEVEL = 0;
const MAX_LEVEL = 11;
/** How long the level is kept, because only the chain's owner can change it; milliseconds. */
const LEVEL_STANDS_MS = 60_000;

/**
 * Counts the bytes of the signed transaction after brotli, at the level that the chain uses. Nodes use the same library
 * as Node.js, but another release of it may compress to some bytes more or fewer.
 */
export function arbitrumScheme(level: number): L1FeeScheme {
  const params = { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_LGWIN]: 22 };
  return {
    name: `Arbitrum, brotli ${level}`,
    divisor: 1n,
    headRoomThousandths: HEAD_ROOM_THOUSANDTHS,
    units(transaction) {
      const signed = Buffer.concat([transaction, TRANSACTION_SIGNATURE]);
      return UNITS_PER_BYTE * BigInt(brotliCompressSync(signed, { params }).length);
    },
  };
}

/** Reads the fees of an Arbitrum chain from its precompiles. */
export class ArbitrumFeeReader implements L1FeeReader {
  private level: { readonly atMs: number; readonly scheme: L1FeeScheme } | undefined;

  constructor(
    private readonly provider: Pick<ChainReads, 'ethCall'>,
    private readonly clock: MonotonicClock,
  ) {}

  async read(): Promise<L1FeeReading> {
    const [scheme, price] = await Promise.all([
      this.currentScheme(),
      this.ask(ARB_GAS_INFO, GET_L1_BASE_FEE_ESTIMATE, 'getL1BaseFeeEstimate of ArbGasInfo'),
    ]);
    return { scheme, price, operatorFee: NO_OPERATOR_FEE };
  }

  private async currentScheme(): Promise<L1FeeScheme> {
    const atMs = this.clock();
    if (this.level && atMs - this.level.atMs < LEVEL_STANDS_MS) return this.level.scheme;
    const scheme = arbitrumScheme(await this.readLevel());
    // One scheme object per level, because only readings of the same scheme are comparable.
    this.level = { atMs, scheme: this.level?.scheme.name === scheme.name ? this.level.scheme : scheme };
    return this.level.scheme;
  }

  private async readLevel(): Promise<number> {
    try {
      const level = await this.ask(ARB_OWNER_PUBLIC, GET_BROTLI_COMPRESSION_LEVEL, 'level of ArbOwnerPublic');
      return Math.min(Number(level), MAX_LEVEL);
    } catch (error) {
      if (error instanceof CallRevertedError) return FIRST_LEVEL;
      throw error;
    }
  }

  private ask(to: Address, data: Hex, what: string): Promise<bigint> {
    return this.provider.ethCall({ to, data }, (returned) => {
      const [word = 0n] = parseWords(returned, 1, what);
      return word;
    });
  }
}
