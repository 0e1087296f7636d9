/** What accounts do in the matrix of clients, in this order; `clients/lib/operations.mjs` has the calls of each. */
export const OPERATIONS = {
  first: 'its first operation: one call',
  second: 'the same again',
  third: 'and again',
  two: 'a batch of two calls',
  five: 'of five',
  thirty: 'of thirty',
  mint: 'an NFT minted to the account',
  receivers: 'a token sent to ten receivers who had none',
  coin: 'coin sent to a new address',
  deployment: '1.2 kB of code deployed through the CREATE2 deployer',
  limits: 'limits written by hand: call 100,000, verification 200,000, preVerification 60,000',
  newMint: 'the first operation of another account: it mints an NFT',
  newReceivers: 'the first operation of another account: it sends a token to ten receivers who had none',
} as const;

export type Operation = keyof typeof OPERATIONS;

/** What `npm test` plays one of for each row, besides the first operation and the second. */
const LARGE: readonly Operation[] = ['thirty', 'receivers', 'mint', 'deployment', 'five', 'limits', 'coin'];

/**
 * Of one account each: all operations there are, but for those that the client or the account cannot make.
 *
 * @param isRepeated whether all three accounts make them all, and not the first alone
 */
export function allOperations(
  cannot: readonly Operation[],
  { isRepeated = false }: { isRepeated?: boolean | undefined } = {},
): readonly (readonly Operation[])[] {
  const { newMint: _, newReceivers: __, ...ofOne } = OPERATIONS;
  const able = (Object.keys(ofOne) as Operation[]).filter((operation) => !cannot.includes(operation));
  const more = isRepeated ? able.slice(1) : [];
  return [able, ['newMint', ...more], ['newReceivers', ...more]];
}

/** A first, a second and a large one, another one for each row. */
export function someOperations(cannot: readonly Operation[], row: number): readonly (readonly Operation[])[] {
  const able = LARGE.filter((operation) => !cannot.includes(operation));
  const ofAll = (['first', 'second'] as const).filter((operation) => !cannot.includes(operation));
  return [[...ofAll, able[row % able.length] as Operation]];
}
