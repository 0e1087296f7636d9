/** The demonstration showed something that must not be. */
export class DemonstrationError extends Error {}

/** What must be true of what was seen, and whether it is. */
export type Claim = readonly [sentence: string, holds: boolean];

/** @throws {DemonstrationError} naming every claim that does not hold */
export function mustHold(claims: readonly Claim[]): void {
  const broken = claims.filter(([, holds]) => !holds).map(([sentence]) => sentence);
  if (broken.length > 0) throw new DemonstrationError(`The demonstration failed; not true: ${broken.join('; ')}`);
}
