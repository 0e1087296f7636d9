import { localTime } from '../../format/time';
import { limitSentence } from '../../policy/sentences';
import { toRows, type KeyDraft } from './key-draft';

interface Words {
  readonly symbol: string;
  /** The name of a policy; undefined where it is not known. */
  readonly policyName: (policyId: string) => string | undefined;
}

/** What a key may do, a sentence for each restriction. */
export function keySentences(key: KeyDraft, { symbol, policyName }: Words): string[] {
  const { allowedOrigins, allowedNetworks, allowedSenders, allowedMethods, policyIds, expiresAt } = key;
  const policies = policyIds?.map((id) => policyName(id) ?? `a policy that is gone (${id.slice(0, 8)}…)`);
  const sentences = [
    isNarrowed(allowedOrigins) && `Only pages of ${list(allowedOrigins)} may send it.`,
    isNarrowed(allowedNetworks) && `It works from ${list(allowedNetworks)} only.`,
    isNarrowed(allowedSenders) && accountsSentence(allowedSenders.length),
    isNarrowed(allowedMethods) && `It calls ${list(allowedMethods)}, and no other method.`,
    key.bundler === 'off' && 'It sends no operations: apps that use it need another bundler.',
    key.bundler === 'sponsored' && 'It sends only operations that this paymaster signed, sponsored or paid in a token.',
    isNarrowed(policies) && `It sponsors by ${list(policies)} only. While none of them is active, it sponsors nothing.`,
    ...toRows(key.limits).map((limit) => limitSentence(limit, symbol)),
    key.sessionRequired && 'Each request needs a session token that your server signed.',
    expiresAt !== null && `It works until ${localTime(expiresAt)}.`,
  ].filter((sentence): sentence is string => typeof sentence === 'string');
  return sentences.length > 0 ? sentences : ['It may do all that the paymaster sponsors.'];
}

function isNarrowed(values: readonly string[] | null | undefined): values is readonly string[] {
  return values != null && values.length > 0;
}

function accountsSentence(count: number): string {
  return count === 1
    ? 'It asks for operations of the listed account only.'
    : `It asks for operations of the ${count} listed accounts only.`;
}

/** `a`, `a and b`, `a, b and c`. */
function list(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} and ${values[values.length - 1]}`;
}
