import type { Schemas } from '../api/queries';
import { grouped, shortAmount } from '../format/amount';
import { localTime } from '../format/time';

export type Rules = Schemas['RulesDto'];
export type Limit = Schemas['SpendingLimitDto'];
type CycleLimit = Schemas['CycleLimitDto'];

const CYCLES = {
  HOUR: 'in each hour',
  DAY: 'in each day (UTC)',
  WEEK: 'in each week from Monday (UTC)',
  MONTH: 'in each month (UTC)',
  LIFETIME: 'for ever',
} as const;
const WHO = { OPERATION: 'One operation', USER: 'Each account', PAYMASTER: 'All accounts together' } as const;
const COMPARES = {
  EQ: 'is',
  NEQ: 'is not',
  LT: 'is less than',
  LTE: 'is at most',
  GT: 'is more than',
  GTE: 'is at least',
  IN: 'is one of',
  NOT_IN: 'is none of',
} as const;

/** What a policy does, a sentence for each of its rules. */
export function sentencesOf(
  policyType: Schemas['LoggedPolicy']['policyType'],
  data: unknown,
  symbol: string,
): string[] {
  switch (policyType) {
    case 'RULES':
      return rulesSentences(data as Rules, symbol);
    case 'PAYMASTER_SA_LIMIT':
      return [cycleSentence(data as CycleLimit, symbol)];
    case 'WALLET_DEPLOYMENT':
      return ['Deployments of accounts are sponsored, also when they call nothing that is whitelisted.'];
    case 'WEBHOOK':
      return [`Your server ${(data as { url?: string }).url ?? ''} is asked for every operation, and can refuse it.`];
    case 'SPENDING_LIMITS':
      return ((data as { limits?: Limit[] }).limits ?? []).map((limit) => limitSentence(limit, symbol));
  }
}

/** The sentences of a RULES policy; without a rule it sponsors whatever the whitelist lets through. */
export function rulesSentences(rules: Rules, symbol: string): string[] {
  const sentences: (string | false | undefined)[] = [
    forceSentence(rules),
    rules.senders?.allow?.length ? `Only ${count(rules.senders.allow, 'listed account')} may use it.` : undefined,
    rules.senders?.deny?.length ? `${capital(count(rules.senders.deny, 'listed account'))} may not use it.` : undefined,
    rules.maxCallValueWei != null && `A call may send at most ${shortAmount(rules.maxCallValueWei, symbol)}.`,
    rules.maxTotalValueWei != null &&
      `All calls of an operation together may send at most ${shortAmount(rules.maxTotalValueWei, symbol)}.`,
    rules.maxCallsPerOperation != null &&
      `An operation may make at most ${rules.maxCallsPerOperation === 1 ? '1 call' : `${rules.maxCallsPerOperation} calls`}.`,
    ...(rules.arguments ?? []).map(argumentSentence),
    rules.maxFeePercentOfBaseFee != null &&
      `The fee per gas (maxFeePerGas) may be at most ${grouped(rules.maxFeePercentOfBaseFee)} % of the base fee.`,
    rules.maxCallGasPercentOfEstimate != null &&
      `The gas limit of the calls (callGasLimit) may be at most ${grouped(rules.maxCallGasPercentOfEstimate)} % of the gateway’s own estimate.`,
    rules.eip7702Delegates != null && listSentence(rules.eip7702Delegates, 'EIP-7702 delegate'),
    rules.accountFactories != null && listSentence(rules.accountFactories, 'account factory', 'account factories'),
    rules.revertBreaker != null &&
      `Sponsoring pauses while more than ${rules.revertBreaker.maxRevertPercent} % of at least ` +
        `${rules.revertBreaker.minOperations} operations of the last ${rules.revertBreaker.windowMinutes} minutes reverted.`,
    ...(rules.limits ?? []).map((limit) => limitSentence(limit, symbol)),
  ];
  const said = sentences.filter((sentence): sentence is string => typeof sentence === 'string');
  return said.length > 0 ? said : ['Everything that is whitelisted is sponsored, without a limit.'];
}

/** A limit in words: `Each account: at most 3 operations in each day (UTC).` */
export function limitSentence({ scope, measure, amount, cycle }: Limit, symbol: string): string {
  const when = scope === 'OPERATION' || !cycle ? '' : ` ${CYCLES[cycle]}`;
  return `${WHO[scope]}: at most ${measured(measure, String(amount), symbol)}${when}.`;
}

export function argumentSentence({ method, index, operator, value }: Schemas['ArgumentRuleDto']): string {
  const values = Array.isArray(value) ? value.join(', ') : String(value);
  return `In calls of ${method}, argument ${index + 1} ${COMPARES[operator]} ${values}.`;
}

/** A limit of the interface document: counts from when it was set, not by the calendar. */
export function cycleSentence({ type, threshold, thresholdType, cycleDuration }: CycleLimit, symbol: string): string {
  const who = type === 'SMART_ACCOUNT' ? 'Each account' : 'All accounts together';
  const what = thresholdType === 'COUNT' ? operations(String(threshold)) : `${threshold} ${symbol} of gas`;
  const { value, unit } = cycleDuration;
  return `${who}: at most ${what} in ${value === 1 ? `each ${unit}` : `every ${value} ${unit}s`}.`;
}

function forceSentence({ startsAt, endsAt }: Rules): string | undefined {
  const at = (seconds: number) => localTime(new Date(seconds * 1_000).toISOString());
  if (startsAt != null && endsAt != null) return `In force from ${at(startsAt)} until ${at(endsAt)}.`;
  if (startsAt != null) return `In force from ${at(startsAt)} on.`;
  return endsAt != null ? `In force until ${at(endsAt)}.` : undefined;
}

function measured(measure: Limit['measure'], amount: string, symbol: string): string {
  if (measure === 'COUNT') return operations(amount);
  if (measure === 'USD') return `${grouped(amount)} USD of gas`;
  return /^\d+$/.test(amount) ? `${shortAmount(amount, symbol)} of gas` : `${amount} wei of gas`;
}

function operations(amount: string): string {
  return amount === '1' ? '1 operation' : `${grouped(amount)} operations`;
}

function listSentence(list: readonly string[], one: string, many = `${one}s`): string {
  if (list.length === 0) return `No ${one} is sponsored.`;
  return list.length === 1
    ? `Only the listed ${one} is sponsored.`
    : `Only the ${list.length} listed ${many} are sponsored.`;
}

function count(list: readonly string[], one: string): string {
  return list.length === 1 ? `the ${one}` : `the ${list.length} ${one}s`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
