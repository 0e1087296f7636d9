/**
 * How a chain measures the L1 data of a transaction, and how much more than the chain's price honest bundlers may ask.
 */
export interface L1FeeScheme {
  readonly name: string;
  /** The size for which an unsigned transaction is charged, in units of the scheme. */
  units(transaction: Uint8Array): bigint;
  /** Wei are units * price / divisor, rounded down. */
  readonly divisor: bigint;
  /** How much honest bundlers may ask of the fee here, because their reading is newer or padded; thousandths. */
  readonly headRoomThousandths: bigint;
}

/** The operator's charge for the gas of a transaction, in addition to its L1 data. */
export interface OperatorFee {
  readonly weiPerMillionGas: bigint;
  readonly constantWei: bigint;
}

export const NO_OPERATOR_FEE: OperatorFee = { weiPerMillionGas: 0n, constantWei: 0n };

/** The prices of a chain at one moment. */
export interface L1FeeReading {
  readonly scheme: L1FeeScheme;
  /** Wei per unit, times the scheme's divisor. */
  readonly price: bigint;
  readonly operatorFee: OperatorFee;
}

/** Reads the current prices of a chain of one kind. Further kinds of rollups implement this port. */
export interface L1FeeReader {
  /** @throws {DependencyUnavailableError} `chain`, when it cannot be read, or its way of charging is not known */
  read(): Promise<L1FeeReading>;
}

/** The fee for the data of a transaction; wei. */
export function dataFeeWei({ scheme, price }: Pick<L1FeeReading, 'scheme' | 'price'>, units: bigint): bigint {
  return (units * price) / scheme.divisor;
}

/** The operator's fee for a transaction that uses this much gas; wei. */
export function operatorFeeWei({ weiPerMillionGas, constantWei }: OperatorFee, gas: bigint): bigint {
  return (gas * weiPerMillionGas) / 1_000_000n + constantWei;
}
