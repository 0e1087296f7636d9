/** Wallets that are compared every time: who wants to crowd them out must deposit more than they have. */
const RICHEST = 1_000;
/** Of the others so many at a time, in turn. */
const IN_TURN = 1_000;

/** The wallets of a contract that one comparison reads on the chain, and those that it takes the books' word for. */
export interface WalletsOfTurn<T> {
  readonly compared: readonly T[];
  readonly believed: readonly T[];
}

/**
 * Bounds what a comparison costs, whoever deposits dust to however many wallets.
 *
 * @param wallets of one contract, in an order that stays
 * @param turn counts the comparisons: the others all had theirs after as many as there are thousands of them
 */
export function walletsOfTurn<T extends { readonly balanceWei: bigint }>(
  wallets: readonly T[],
  turn: number,
): WalletsOfTurn<T> {
  const byBalance = [...wallets].sort(
    (a, b) => Number(b.balanceWei > a.balanceWei) - Number(b.balanceWei < a.balanceWei),
  );
  const richest = new Set(byBalance.slice(0, RICHEST));
  const others = wallets.filter((wallet) => !richest.has(wallet));
  const turns = Math.max(1, Math.ceil(others.length / IN_TURN));
  const first = (turn % turns) * IN_TURN;
  return {
    compared: [...richest, ...others.slice(first, first + IN_TURN)],
    believed: [...others.slice(0, first), ...others.slice(first + IN_TURN)],
  };
}
