/**
 * How many of the richest wallets are compared every time. To crowd a wallet out, an attacker must deposit more than it
 * has.
 */
const RICHEST = 1_000;
/** How many of the other wallets are compared at a time, in turn. */
const IN_TURN = 1_000;

/**
 * The wallets of a contract that one comparison reads on the chain, and the wallets for which it takes the balance of
 * the books.
 */
export interface WalletsOfTurn<T> {
  readonly compared: readonly T[];
  readonly believed: readonly T[];
}

/**
 * Bounds what a comparison costs, because anybody can make many wallets by tiny deposits.
 *
 * @param wallets the wallets of one contract, always in the same order
 * @param turn the number of the comparison. With `n` thousands of other wallets, each of them is read once in `n` turns
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
