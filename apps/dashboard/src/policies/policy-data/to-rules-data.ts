import { normalizeAddress, type Address } from '@paymaster/domain';
import { MAX_ARGUMENT_VALUES } from '@paymaster/messaging';
import { ArgumentRuleError, compileArgumentRule } from '@paymaster/policy';
import { InvalidBodyError } from '../../http/dashboard-errors';
import { argumentsOf, argumentValueOf, hasOperator } from './argument-rule';
import { decimalTextOf, shortestDecimal } from './decimal';
import type { ArgumentRuleData, RulesData, SpendingLimitData } from './rules.data';
import { DEFAULT_PRIORITY, type ArgumentRuleDto, type RulesDto, type SpendingLimitDto } from './rules.dto';

/**
 * Rules in their one form, after each field was found good by itself: what must hold between fields is checked here.
 *
 * @param where the path of the rules in the body, for errors
 * @throws {InvalidBodyError} naming the field
 */
export function toRulesData(dto: RulesDto, where: string): RulesData {
  const { startsAt, endsAt, senders, revertBreaker } = dto;
  if (isSent(startsAt) && isSent(endsAt) && startsAt >= endsAt) {
    throw new InvalidBodyError(`${where}: endsAt must be later than startsAt`);
  }
  return sentOnly({
    priority: dto.priority ?? DEFAULT_PRIORITY,
    startsAt,
    endsAt,
    senders: senders && sentOnly({ allow: addresses(senders.allow), deny: addresses(senders.deny) }),
    maxCallValueWei: dto.maxCallValueWei,
    maxTotalValueWei: dto.maxTotalValueWei,
    arguments: dto.arguments?.map((rule, at) => toArgumentRule(rule, `${where}.arguments.${at}`)),
    maxFeePercentOfBaseFee: dto.maxFeePercentOfBaseFee,
    maxCallGasPercentOfEstimate: dto.maxCallGasPercentOfEstimate,
    eip7702Delegates: addresses(dto.eip7702Delegates),
    accountFactories: addresses(dto.accountFactories),
    revertBreaker: revertBreaker && { ...revertBreaker },
    limits: dto.limits && toLimits(dto.limits, `${where}.limits`),
  });
}

function toArgumentRule(
  { contract, method, index, operator, value }: ArgumentRuleDto,
  where: string,
): ArgumentRuleData {
  const methodArguments = argumentsOf(method);
  if (!methodArguments) {
    throw new InvalidBodyError(
      `${where}: method must be a full signature in its canonical form: mint(address,uint256)`,
    );
  }
  const argument = methodArguments[index];
  if (!argument) throw new InvalidBodyError(`${where}: index must be that of an argument of ${method}`);
  const { type, word } = argument;
  if (!word) {
    throw new InvalidBodyError(
      `${where}: index must be that of a number, address, bool or bytes1 to bytes32; it is ${type}`,
    );
  }
  if (!hasOperator(type, operator))
    throw new InvalidBodyError(`${where}: operator ${operator} is for numbers; it is ${type}`);
  const one = (each: unknown): string => {
    const text = argumentValueOf(type, each);
    if (text === undefined) throw new InvalidBodyError(`${where}: value must be of type ${type}`);
    return text;
  };
  const rule = { contract: normalizeAddress(contract), method, index, operator };
  if (operator !== 'IN' && operator !== 'NOT_IN') return enforceable({ ...rule, value: one(value) }, where);
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ARGUMENT_VALUES) {
    throw new InvalidBodyError(`${where}: value must be a list of 1 to ${MAX_ARGUMENT_VALUES} values for ${operator}`);
  }
  return enforceable({ ...rule, value: unique(value.map(one)) }, where);
}

/** The engine has the last word: a rule that it cannot read would refuse every operation. */
function enforceable(rule: ArgumentRuleData, where: string): ArgumentRuleData {
  try {
    compileArgumentRule({ ...rule, values: [rule.value].flat() as string[] });
    return rule;
  } catch (error) {
    throw error instanceof ArgumentRuleError ? new InvalidBodyError(`${where}: ${error.message}`) : error;
  }
}

/** Scope, measure and cycle name a budget, so each combination is there once. */
function toLimits(limits: readonly SpendingLimitDto[], where: string): SpendingLimitData[] {
  const data = limits.map((limit, at) => toLimit(limit, `${where}.${at}`));
  const names = data.map(({ scope, measure, cycle }) => [scope, measure, cycle].join());
  const twin = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twin !== -1) throw new InvalidBodyError(`${where}.${twin}: scope, measure and cycle are those of a limit before`);
  return data;
}

function toLimit({ scope, measure, amount, cycle }: SpendingLimitDto, where: string): SpendingLimitData {
  const limit = { scope, measure, amount: shortestDecimal(decimalTextOf(amount) ?? '') };
  if (scope === 'OPERATION') {
    if (isSent(cycle)) throw new InvalidBodyError(`${where}: cycle must be left out for scope OPERATION`);
    if (measure === 'COUNT') throw new InvalidBodyError(`${where}: measure COUNT is for scope USER and PAYMASTER`);
    return limit;
  }
  if (!isSent(cycle)) throw new InvalidBodyError(`${where}: cycle must be sent for scope ${scope}`);
  return { ...limit, cycle };
}

function addresses(list: readonly string[] | null | undefined): Address[] | undefined {
  return list ? unique(list.map(normalizeAddress)) : undefined;
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

function isSent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** Without what was left out; the order of fields stays, so that equal rules are equal texts. */
function sentOnly<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], null> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => isSent(each))) as {
    [Key in keyof T]: Exclude<T[Key], null>;
  };
}
