/** How a chain measures what a transaction takes of its L1, and what honest bundlers make of it. */
export interface L1FeeScheme {
  readonly name: string;
  /** What an unsigned transaction is charged for, in units of the scheme. */
  units(transaction: Uint8Array): bigint;
  /** Wei are units * price / divisor, rounded down. */
  readonly divisor: bigint;
  /** What honest bundlers may ask of what the fee is here, because their reading is newer or padded; thousandths. */
  readonly headRoomThousandths: bigint;
}

/** What the chain's operator takes for the gas of a transaction, beside its L1 data. */
export interface OperatorFee {
  readonly weiPerMillionGas: bigint;
  readonly constantWei: bigint;
}

export const NO_OPERATOR_FEE: OperatorFee = { weiPerMillionGas: 0n, constantWei: 0n };

/** What a chain charges at one moment. */
export interface L1FeeReading {
  readonly scheme: L1FeeScheme;
  /** Wei per unit, times the scheme's divisor. */
  readonly price: bigint;
  readonly operatorFee: OperatorFee;
}

/** Reads what a chain of one kind charges now. The port that further kinds of rollups implement. */
export interface L1FeeReader {
  /** @throws {DependencyUnavailableError} `chain`, when it cannot be read, or charges in a way that is not known here */
  read(): Promise<L1FeeReading>;
}

/** The fee for the data of a transaction; wei. */
export function dataFeeWei({ scheme, price }: Pick<L1FeeReading, 'scheme' | 'price'>, units: bigint): bigint {
  return (units * price) / scheme.divisor;
}

/** The fee of the chain's operator for a transaction that uses so much gas; wei. */
export function operatorFeeWei({ weiPerMillionGas, constantWei }: OperatorFee, gas: bigint): bigint {
  return (gas * weiPerMillionGas) / 1_000_000n + constantWei;
}
