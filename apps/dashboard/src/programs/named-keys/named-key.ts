import {
  amountKindOf,
  KEY_TERMS,
  standardsOf,
  unitsOf,
  type KeyGrant,
  type KeyLimit,
  type KeyLimitMeasure,
  type KeyLimitScope,
  type LimitCycle,
} from '@paymaster/domain';

/** A limit as it is stored and shown. */
export interface KeyLimitTerms {
  readonly scope: KeyLimitScope;
  readonly measure: KeyLimitMeasure;
  /** As it was sent. */
  readonly amount: string | number;
  readonly cycle: LimitCycle;
}

/** What a key may do, as it is stored and shown. Null where it is not narrowed. */
export interface KeyTerms extends Omit<KeyGrant, 'keyId' | 'kind' | 'expiresAtMs' | 'limits'> {
  readonly limits: readonly KeyLimitTerms[] | null;
}

/** An API key of a paymaster beside its own one. */
export interface NamedKey extends Pick<KeyGrant, 'kind'> {
  readonly id: string;
  readonly paymasterId: string;
  readonly name: string;
  readonly terms: KeyTerms;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  /** When texts that were replaced end, the next to end first. */
  readonly formerValidUntil: readonly Date[];
}

/** A row of a key, as SQL makes JSON of it for a gateway. */
export interface KeyRecord extends Pick<KeyGrant, 'keyId' | 'kind'> {
  readonly terms: Partial<KeyTerms>;
  /** The end of the key or of the text that was sent, whichever comes first. */
  readonly expiresAtMs: number | null;
}

/** The terms with all fields: what is stored may lack those of a later version. */
export const completeTerms = (terms: Partial<KeyTerms>): KeyTerms => ({
  ...standardsOf(KEY_TERMS),
  limits: null,
  ...terms,
});

/** What a gateway is told of the key it asked about. */
export function toKeyGrant({ keyId, kind, terms, expiresAtMs }: KeyRecord): KeyGrant {
  const complete = completeTerms(terms);
  return { keyId, kind, ...complete, limits: (complete.limits ?? []).map(toKeyLimit), expiresAtMs };
}

/** The id is what the budget stays under: the amount may change, the rest may not. */
export function limitId({ scope, measure, cycle }: KeyLimitTerms): string {
  return [scope, measure, cycle].join('-');
}

function toKeyLimit(limit: KeyLimitTerms): KeyLimit {
  const { scope, measure, cycle } = limit;
  const amount = unitsOf(limit.amount, amountKindOf(measure));
  if (amount === undefined) throw new Error(`a stored amount is none: ${limit.amount} ${measure}`);
  return { id: limitId(limit), scope, measure, amount, cycle };
}
