import type { AuditEntry, Schemas } from '../api/queries';
import { spaced } from '../format/spaced';
import { localTime } from '../format/time';
import { sentencesOf, type Rules } from '../policy/sentences';

/** One of several words of the API: `withCall`. */
const CHOICE = /^[a-z]+(?:[A-Z][a-z]+)+$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** What a thing was or is, a line for each fact of it: a policy in sentences, all else as `name: value`. */
export function linesOf(subject: AuditEntry['subject'], value: object | null, symbol: string): readonly string[] {
  if (value === null) return [];
  return isPolicy(subject, value) ? policyLines(value, symbol) : facts('', value);
}

function policyLines({ name, active, policyType, policyData, ...rest }: Schemas['LoggedPolicy'], symbol: string) {
  return [
    `Name: ${name}`,
    active ? 'Active.' : 'Paused.',
    ...sentencesOf(policyType, policyData, symbol),
    ...(policyType === 'RULES' ? facts('', listed(policyData as Rules)) : []),
    ...facts('', rest),
  ];
}

/** What of the rules their sentences count only, or leave out. */
function listed({ senders, accountFactories, eip7702Delegates, arguments: rules, priority }: Rules) {
  const contractsOfArguments = rules?.map(({ contract, method }) => `${method} of ${contract}`);
  return { senders, accountFactories, eip7702Delegates, contractsOfArguments, priority };
}

/** Lists have a line for each of their parts, so that a part which came or went stands out. */
function facts(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.length === 0 ? [`${wordsOf(name)}: none`] : value.flatMap((each) => facts(name, each));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, each]) => facts(name ? `${name} ${key}` : key, each));
  }
  return value === undefined ? [] : [`${wordsOf(name)}: ${valueOf(value)}`];
}

function valueOf(value: unknown): string {
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' && ISO_TIME.test(value)) return localTime(value);
  return typeof value === 'string' && CHOICE.test(value) ? spaced(value) : String(value);
}

/** `price feed heartbeatSeconds` as words: `Price feed heartbeat seconds`. */
function wordsOf(name: string): string {
  const words = spaced(name)
    .replace(/\bsender(s?)\b/g, 'account$1')
    .replace(/\b(api|url|id)\b/g, (short) => short.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function isPolicy(subject: AuditEntry['subject'], value: object): value is Schemas['LoggedPolicy'] {
  return subject === 'policy' && 'policyType' in value && 'policyData' in value;
}
