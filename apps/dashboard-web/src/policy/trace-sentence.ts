import { limitInWords } from '@paymaster/domain';
import { formatUnits } from 'viem';
import type { Schemas } from '../api/queries';
import { grouped, groupedDecimal, shortAmount } from '../format/amount';
import { localTime } from '../format/time';
import { measuredAmount } from './limit-use';

type Line = Schemas['TraceLineView'];

const COIN_DECIMALS = 18;
const GWEI_DECIMALS = 9;
const MICRO_DECIMALS = 6;

/** What the numbers of a rule count, where the rule does not say it beside them. */
type Measure = 'gas' | 'fee';
const FIELD = {
  callGasLimit: 'The gas limit of the calls (callGasLimit)',
  verificationGasLimit: 'The gas limit of the validation (verificationGasLimit)',
  preVerificationGas: 'The gas before the validation (preVerificationGas)',
  maxFeePerGas: 'The fee per gas (maxFeePerGas)',
  maxPriorityFeePerGas: 'The tip per gas (maxPriorityFeePerGas)',
} as const;
/** Fields of an operation, as people read them; the name in brackets is what their app sends. */
export const FIELDS: Readonly<Record<string, string>> = FIELD;
const inSentence = (field: string): string => field.charAt(0).toLowerCase() + field.slice(1);

/** What is compared, and what its numbers count. */
const COMPARED: Readonly<Record<string, readonly [string, Measure]>> = {
  callGasLimit: [FIELD.callGasLimit, 'gas'],
  verificationGasLimit: [FIELD.verificationGasLimit, 'gas'],
  preVerificationGas: [FIELD.preVerificationGas, 'gas'],
  'maxPriorityFeePerGas <= maxFeePerGas': [FIELD.maxPriorityFeePerGas, 'fee'],
  'maxFeePerGas >= half the base fee': [FIELD.maxFeePerGas, 'fee'],
  equalFees: ['Each of the two fees', 'fee'],
  maxPriorityFeePerGas: [FIELD.maxPriorityFeePerGas, 'fee'],
  maxFeePerGas: [FIELD.maxFeePerGas, 'fee'],
  operationCostCap: ['What the operation can cost', 'fee'],
  maxFeePercentOfBaseFee: [FIELD.maxFeePerGas, 'fee'],
  maxCallGasPercentOfEstimate: [FIELD.callGasLimit, 'gas'],
  callValue: ['What its dearest call sends', 'fee'],
  totalValue: ['What its calls send', 'fee'],
  operationLimits: ['What the operation can cost', 'fee'],
  maxCallsPerOperation: ['The number of calls', 'gas'],
};

/** What a limit of these rules comes from. */
const WHY: Readonly<Record<string, string>> = {
  'maxPriorityFeePerGas <= maxFeePerGas': `: that is ${inSentence(FIELD.maxFeePerGas)}`,
  'maxFeePerGas >= half the base fee': ': half the base fee of now',
};

/** Rules that compare no numbers: what they say when an operation passed, and when it was refused. */
const SAID: Readonly<Record<string, { readonly pass: string; readonly refuse: string }>> = {
  policiesSet: { pass: 'Methods are whitelisted', refuse: 'No method is whitelisted' },
  callDataUnderstood: { pass: 'The call data are understood', refuse: 'The call data are not understood' },
  noDelegateCall: { pass: 'No delegate call is made', refuse: 'A delegate call is made' },
  somethingToSponsor: { pass: 'There is something to sponsor', refuse: 'There is nothing to sponsor' },
  noSelfCall: { pass: 'The account does not call itself', refuse: 'The account calls itself' },
  nativeTransfers: { pass: 'No coin is sent', refuse: 'Coin is sent, which is not sponsored' },
  contractsRegistered: { pass: 'Every called contract is registered', refuse: 'A called contract is not registered' },
  methodsWhitelisted: { pass: 'Every called method is whitelisted', refuse: 'A called method is not whitelisted' },
  accountDeployed: { pass: 'The account is deployed', refuse: 'The account is not deployed' },
  noEip7702: { pass: 'The account’s delegation is in order', refuse: 'The account’s delegation is not sponsored' },
  deploymentSponsored: { pass: 'The deployment is sponsored', refuse: 'The deployment is not sponsored' },
  factoryKnown: { pass: 'The account’s factory is known', refuse: 'The account’s factory is not known' },
  accountKnown: { pass: 'The account’s code is known', refuse: 'The account’s code is not known' },
  validatorKnown: { pass: 'The account’s validator is known', refuse: 'The account’s validator is not known' },
  senders: { pass: 'The account may use it', refuse: 'The account may not use it' },
  revertBreaker: { pass: 'Few operations reverted lately', refuse: 'Too many operations reverted lately' },
};

/** Details that repeat what the sentence says. */
const REPEATS = new Set([
  'calls only',
  'none',
  'no call to the account itself',
  'has code',
  'no code',
  'no call and no deployment',
]);

/**
 * A rule and what it found, as a sentence: what was asked, what is allowed. Fees and money have their units.
 *
 * @param line as the gateway says it: `callGasLimit`, `55000 <= 52945`, `refuse`
 * @param symbol of the chain's coin
 */
export function traceSentence({ rule, input, outcome }: Line, symbol: string): string {
  const { policy, name } = partsOf(rule);
  const sentence = outcome === 'skip' ? skipped(name, input) : found(name, input, outcome, symbol);
  return policy ? `${policy}: ${sentence}` : sentence;
}

/** The rules of an owner's policy begin with its name, which may be anything. */
function partsOf(rule: string): { readonly policy?: string; readonly name: string } {
  const at = rule.lastIndexOf(': ');
  return at < 0 ? { name: rule } : { policy: rule.slice(0, at), name: rule.slice(at + 2) };
}

function skipped(name: string, input: string): string {
  return `${wordsOf(name)} did not apply${input && `: ${readable(input)}`}.`;
}

function found(name: string, input: string, outcome: 'pass' | 'refuse', symbol: string): string {
  return (
    comparison(name, input, symbol) ??
    claim(name, input, outcome, symbol) ??
    inForce(input, outcome) ??
    plain(name, input, outcome)
  );
}

/** `55000 <= 52945`, `11637272366 != 2000000000`, `3 <= 5000 wei` */
function comparison(name: string, input: string, symbol: string): string | undefined {
  const [, left, relation, right, unit] = /^(\d+) (<=|>=|!=) (\d+)(?: (\w+))?$/.exec(input) ?? [];
  if (left === undefined || right === undefined) return undefined;
  const [what, measure] = COMPARED[name] ?? [wordsOf(name), 'gas'];
  const said = (isExact: boolean) =>
    [left, right].map((digits) => amountOf(digits, { unit, measure, symbol, what, isExact })) as [string, string];
  // Two amounts that are compared must not look the same when they are not.
  const short = said(false);
  const [first, second] = left !== right && short[0] === short[1] ? said(true) : short;
  if (relation === '!=')
    return `The two fees differ: ${inSentence(FIELD.maxFeePerGas)} is ${first}, ${inSentence(FIELD.maxPriorityFeePerGas)} ${second}.`;
  const isMost = relation === '<=';
  const holds = isMost ? BigInt(left) <= BigInt(right) : BigInt(left) >= BigInt(right);
  const bound = isMost ? `at most ${second} is allowed` : `at least ${second} is needed`;
  return `${what} is ${first}${holds ? ', and' : ', but'} ${bound}${WHY[name] ?? ''}.`;
}

interface Counted {
  readonly unit: string | undefined;
  readonly measure: Measure;
  readonly symbol: string;
  readonly what: string;
  readonly isExact: boolean;
}

function amountOf(digits: string, { unit, measure, symbol, what, isExact }: Counted): string {
  if (unit === 'wei' && isExact) return `${groupedDecimal(formatUnits(BigInt(digits), COIN_DECIMALS))} ${symbol}`;
  if (unit === 'microUsd' && isExact) return `${groupedDecimal(formatUnits(BigInt(digits), MICRO_DECIMALS))} USD`;
  if (unit === 'wei' || unit === 'microUsd' || unit === 'count') return measuredAmount(unit, digits, symbol);
  if (unit !== undefined || what === 'The number of calls') return grouped(digits);
  if (measure === 'gas') return `${grouped(digits)} gas`;
  const short = shortAmount(digits, symbol);
  return short.endsWith(' gwei') && !isExact
    ? short
    : `${groupedDecimal(formatUnits(BigInt(digits), GWEI_DECIMALS))} gwei`;
}

/** `1 count of 5`: what the operation needs of a limit, and the whole limit. What others used of it is not said there. */
function claim(name: string, input: string, outcome: 'pass' | 'refuse', symbol: string): string | undefined {
  const [, need, unit, limit] = /^(\d+) (wei|microUsd|count) of (\d+)$/.exec(input) ?? [];
  if (need === undefined || limit === undefined) return undefined;
  const amount = (digits: string) =>
    measuredAmount(unit as 'wei', digits, symbol) + (unit === 'count' ? ' operations' : '');
  const one = (text: string) => text.replace(/^1 operations$/, '1 operation');
  const room = outcome === 'pass' ? 'and so much is left' : 'but so much is not left';
  return `The ${wordsOf(name).toLowerCase()} is ${one(amount(limit))} in all. This one needs ${one(amount(need))}, ${room}.`;
}

/** `1700000000 <= 1800000000 < ever`: from when, now, until when; seconds. */
function inForce(input: string, outcome: 'pass' | 'refuse'): string | undefined {
  const [, from, now, until] = /^(\d+|always) <= (\d+) < (\d+|ever)$/.exec(input) ?? [];
  if (from === undefined || now === undefined || until === undefined) return undefined;
  const at = (seconds: string) => localTime(new Date(Number(seconds) * 1_000).toISOString());
  const span = [from !== 'always' && `from ${at(from)}`, until !== 'ever' && `until ${at(until)}`].filter(Boolean);
  return `It is in force ${span.join(' ')}, and was${outcome === 'pass' ? '' : ' not'} when it was asked, at ${at(now)}.`;
}

function plain(name: string, input: string, outcome: 'pass' | 'refuse'): string {
  const said = SAID[name]?.[outcome] ?? `${wordsOf(name)}: ${outcome === 'pass' ? 'in order' : 'not in order'}`;
  if (input === '' || REPEATS.has(input)) return `${said}.`;
  return said.includes(': ') ? `${said} (${readable(input)}).` : `${said}: ${readable(input)}.`;
}

/** `noDelegateCall` as words: `No delegate call`. What is no such name stays as it is. */
function wordsOf(rule: string): string {
  const said = limitInWords(rule);
  if (said === rule && !/^[a-z][A-Za-z0-9]*$/.test(rule)) return rule;
  const words = said
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace('eip7702', 'EIP-7702');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Thousands apart, and one call is no calls. */
function readable(text: string): string {
  return text
    .replace(/(?<![\w.])\d{5,}(?![\w.])/g, grouped)
    .replace(/\b1 (calls|whitelisted methods)\b/g, (_, many: string) => `1 ${many.slice(0, -1)}`);
}
