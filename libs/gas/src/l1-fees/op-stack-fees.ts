import { CallRevertedError, parseWords, type ChainReads } from '@paymaster/chain';
import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import type { MonotonicClock } from '@paymaster/turns';
import { Interface } from 'ethers';
import { fastLzLength } from './fast-lz';
import {
  NO_OPERATOR_FEE,
  type L1FeeReader,
  type L1FeeReading,
  type L1FeeScheme,
  type OperatorFee,
} from './l1-fee-scheme';

/** The contract of OP stack chains that tells the price of data: a predeploy, at the same address on each chain. */
export const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000f';
/** What the oracle adds for the signature of an unsigned transaction; bytes. */
const SIGNATURE_BYTES = 68;
const ZERO_BYTE_GAS = 4;
const NON_ZERO_BYTE_GAS = 16;
/** Fjord's linear regression from the length after FastLZ to that in a batch, in millionths of a byte. */
const INTERCEPT = -42_585_600;
const COEFFICIENT = 836_500;
const LEAST_SIZE = 100_000_000;
/** What one L1 block can move: the base fee by an eighth, the blob base fee by no more (EIP-1559, 4844, 7691, 7892). */
const HEAD_ROOM_THOUSANDTHS = 1_125n;

/** Since Ecotone: counted in call data gas. */
export const ECOTONE: L1FeeScheme = {
  name: 'Ecotone',
  divisor: 16_000_000n,
  headRoomThousandths: HEAD_ROOM_THOUSANDTHS,
  units(transaction) {
    let gas = SIGNATURE_BYTES * NON_ZERO_BYTE_GAS;
    for (let index = 0; index < transaction.length; index++)
      gas += transaction[index] === 0 ? ZERO_BYTE_GAS : NON_ZERO_BYTE_GAS;
    return BigInt(gas);
  },
};

/** Since Fjord: counted in millionths of a byte of the expected size in a batch. */
export const FJORD: L1FeeScheme = {
  name: 'Fjord',
  divisor: 1_000_000_000_000n,
  headRoomThousandths: HEAD_ROOM_THOUSANDTHS,
  units(transaction) {
    const size = INTERCEPT + COEFFICIENT * (fastLzLength(transaction) + SIGNATURE_BYTES);
    return BigInt(Math.max(LEAST_SIZE, size));
  },
};

const oracle = new Interface([
  'function isEcotone() view returns (bool)',
  'function isFjord() view returns (bool)',
  'function baseFeeScalar() view returns (uint32)',
  'function blobBaseFeeScalar() view returns (uint32)',
  'function l1BaseFee() view returns (uint256)',
  'function blobBaseFee() view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
]);

/** How long values that only an upgrade or the chain's operator changes are kept: about an L1 block; milliseconds. */
const TERMS_STAND_MS = 12_000;

interface Terms extends Pick<L1FeeReading, 'scheme' | 'operatorFee'> {
  readonly baseFeeScalar: bigint;
  readonly blobBaseFeeScalar: bigint;
}

/** Reads the fees of an OP stack chain from its GasPriceOracle: Ecotone and later, with the operator fee of Isthmus. */
export class OpStackFeeReader implements L1FeeReader {
  private terms: { readonly atMs: number; readonly value: Terms } | undefined;

  constructor(
    private readonly provider: Pick<ChainReads, 'ethCall'>,
    private readonly clock: MonotonicClock,
  ) {}

  async read(): Promise<L1FeeReading> {
    const [terms, l1BaseFee, blobBaseFee] = await Promise.all([
      this.currentTerms(),
      this.ask('l1BaseFee'),
      this.ask('blobBaseFee'),
    ]);
    const { scheme, operatorFee, baseFeeScalar, blobBaseFeeScalar } = terms;
    const price = baseFeeScalar * 16n * l1BaseFee + blobBaseFeeScalar * blobBaseFee;
    return { scheme, price, operatorFee };
  }

  private async currentTerms(): Promise<Terms> {
    const atMs = this.clock();
    if (this.terms && atMs - this.terms.atMs < TERMS_STAND_MS) return this.terms.value;
    const [isEcotone, isFjord, baseFeeScalar, blobBaseFeeScalar, operatorFee] = await Promise.all([
      this.askIfThere('isEcotone'),
      this.askIfThere('isFjord'),
      this.askIfThere('baseFeeScalar'),
      this.askIfThere('blobBaseFeeScalar'),
      this.operatorFee(),
    ]);
    if (!isEcotone || baseFeeScalar === undefined || blobBaseFeeScalar === undefined)
      throw new DependencyUnavailableError('chain', `the GasPriceOracle at ${GAS_PRICE_ORACLE} is older than Ecotone`);
    const value = { scheme: isFjord ? FJORD : ECOTONE, baseFeeScalar, blobBaseFeeScalar, operatorFee };
    this.terms = { atMs, value };
    return value;
  }

  /**
   * The two factors, found through the oracle's own computation, because Jovian uses the scalar differently from
   * Isthmus.
   */
  private async operatorFee(): Promise<OperatorFee> {
    const [constantWei, ofMillionWei] = await Promise.all([
      this.askIfThere('getOperatorFee', [0n]),
      this.askIfThere('getOperatorFee', [1_000_000n]),
    ]);
    if (constantWei === undefined || ofMillionWei === undefined) return NO_OPERATOR_FEE;
    return { constantWei, weiPerMillionGas: ofMillionWei - constantWei };
  }

  private ask(name: string, args: readonly bigint[] = []): Promise<bigint> {
    const data = oracle.encodeFunctionData(name, args) as Hex;
    return this.provider.ethCall({ to: GAS_PRICE_ORACLE, data }, (returned) => {
      const [word = 0n] = parseWords(returned, 1, `${name} of the GasPriceOracle`);
      return word;
    });
  }

  /** Undefined if the oracle is older than the method. */
  private async askIfThere(name: string, args?: readonly bigint[]): Promise<bigint | undefined> {
    try {
      return await this.ask(name, args);
    } catch (error) {
      if (error instanceof CallRevertedError) return undefined;
      throw error;
    }
  }
}
