/** Faults of `contracts/test/support/tokens/WeirdToken.sol`, by their place in its enum. */
export const QUIRKS = {
  None: 0,
  NoReturn: 1,
  ReturnsFalse: 2,
  MovesAndReturnsFalse: 3,
  Lies: 4,
  ReturnBomb: 7,
  RevertBomb: 8,
  RevertsShort: 9,
  RevertsEmpty: 10,
  BurnsEverything: 12,
  Expensive: 13,
  FeeOnTransfer: 14,
  Inflates: 15,
  Blocks: 18,
  Paused: 19,
} as const;

export type Quirk = keyof typeof QUIRKS;
