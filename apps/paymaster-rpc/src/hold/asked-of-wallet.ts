/** What an operation asks of the funding wallet beyond the gateway's own answer (docs/adr/0025). */
export interface AskedOfWallet {
  /** What it is expected to cost; wei. */
  readonly expectedWei: bigint;
  /** The part of it by which limits and fees can be billed above the gateway's own answer; wei. */
  readonly excessWei: bigint;
  /** Limits and tip are the gateway's own answer, or less. */
  readonly isOwnAnswer: boolean;
  /** The part of the wallet that operations like this may cost a client network in an hour; millionths. */
  readonly roomMillionths: bigint;
  /** Ten million gas at the chain's price; wei. */
  readonly leastRoomWei: bigint;
  /** A million gas at the chain's price: the precharge of an ordinary operation; wei. */
  readonly ordinaryWei: bigint;
}
