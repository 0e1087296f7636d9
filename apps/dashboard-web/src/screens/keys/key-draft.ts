import type { Schemas } from '../../api/queries';
import { changesToSend } from '../../policy/merge-changes';
import type { Limit } from '../../policy/sentences';

export type NamedKey = Schemas['NamedKeyView'];
export type KeyLimit = Schemas['KeyLimitDto'];

/** What a key may do; null is no restriction. */
export type KeyTerms = Pick<
  NamedKey,
  | 'allowedOrigins'
  | 'allowedNetworks'
  | 'allowedSenders'
  | 'allowedMethods'
  | 'bundler'
  | 'policyIds'
  | 'sessionRequired'
  | 'limits'
  | 'expiresAt'
>;

/** A key as its form has it. */
export interface KeyDraft extends KeyTerms {
  readonly name: string;
  readonly kind: NamedKey['kind'];
}

export const NEW_KEY: KeyDraft = {
  ...{ name: '', kind: 'PUBLISHABLE', sessionRequired: false, expiresAt: null },
  ...{ allowedOrigins: null, allowedNetworks: null, allowedSenders: null, allowedMethods: null },
  ...{ bundler: 'any', policyIds: null, limits: null },
};

/** What the form can change of a stored key. */
export function draftOf(key: NamedKey): KeyDraft {
  return Object.fromEntries(Object.keys(NEW_KEY).map((field) => [field, key[field as keyof KeyDraft]])) as never;
}

/** An empty list would read as if nothing were allowed: it is no restriction. */
export function withoutEmptyLists<T extends object>(terms: T): T {
  const narrowed = Object.entries(terms).map(([field, value]: [string, unknown]) => [
    field,
    Array.isArray(value) && value.length === 0 ? null : value,
  ]);
  return Object.fromEntries(narrowed) as T;
}

/** A draft as it is sent. A secret key is for no page, so it has no origins. */
export function sendableKey({ name, kind, ...terms }: KeyDraft): Schemas['CreateKeyDto'] {
  return {
    ...withoutEmptyLists(terms),
    ...{ name: name.trim(), kind },
    ...(kind === 'SECRET' && { allowedOrigins: null }),
  };
}

/**
 * What was changed of a key, and what of that was read before: what somebody else changed meanwhile stays as it is, and
 * is not overwritten unseen. The kind never changes.
 */
export function changesOf(draft: KeyDraft, from: NamedKey): Schemas['UpdateKeyDto'] {
  const [before, { kind: _, ...after }] = [sendableKey(draftOf(from)), sendableKey(draft)];
  return changesToSend<typeof after>(before, after, from);
}

/** Limits of a key, as the rows of limits have them: there, all operations of the key are all together. */
export function toRows(limits: readonly KeyLimit[] | null): Limit[] {
  return (limits ?? []).map((limit) => ({ ...limit, scope: limit.scope === 'KEY' ? 'PAYMASTER' : 'USER' }));
}

export function fromRows(rows: readonly Limit[]): KeyLimit[] {
  return rows.map(({ scope, measure, amount, cycle }) => ({
    ...{ scope: scope === 'USER' ? 'USER' : 'KEY', measure, amount },
    cycle: cycle ?? 'DAY',
  }));
}
