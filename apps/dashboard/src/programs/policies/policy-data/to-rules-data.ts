import { findWrongChecksum, WRONG_CHECKSUM } from '@paymaster/chain';
import { MAX_ARGUMENT_VALUES, type ArgumentRuleData, type RulesData, type SpendingLimitData } from '@paymaster/domain';
import { ArgumentRuleError, compileArgumentRule } from '@paymaster/policy';
import { InvalidBodyError } from '../../../platform/http/dashboard-errors';
import { argumentsOf, argumentValueOf, hasOperator } from './argument-rule';

/**
 * Rules in their one form, after each field was found good by itself: what must hold between fields is checked here.
 *
 * @param where the path of the rules in the body, for errors
 * @throws {InvalidBodyError} naming the field
 */
export function toRulesData(data: RulesData, where: string): RulesData {
  const { startsAt, endsAt, arguments: rules, limits } = data;
  if (startsAt !== undefined && endsAt !== undefined && startsAt >= endsAt) {
    throw new InvalidBodyError(`${where}: endsAt must be later than startsAt`);
  }
  const made = rules?.map((rule, at) => toArgumentRule(rule, `${where}.arguments.${at}`));
  if (limits) assertLimits(limits, `${where}.limits`);
  return { ...data, ...(made && { arguments: made }) };
}

function toArgumentRule(
  { contract, method, index, operator, value }: ArgumentRuleData,
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
    if (type === 'address' && findWrongChecksum(each) !== undefined) {
      throw new InvalidBodyError(`${where}: value ${WRONG_CHECKSUM}`);
    }
    if (text === undefined) throw new InvalidBodyError(`${where}: value must be of type ${type}`);
    return text;
  };
  const rule = { contract, method, index, operator };
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
export function assertLimits(limits: readonly SpendingLimitData[], where: string): void {
  limits.forEach((limit, at) => assertLimit(limit, `${where}.${at}`));
  const names = limits.map(({ scope, measure, cycle }) => [scope, measure, cycle].join());
  const twin = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twin !== -1) throw new InvalidBodyError(`${where}.${twin}: scope, measure and cycle are those of a limit before`);
}

function assertLimit({ scope, measure, cycle }: SpendingLimitData, where: string): void {
  if (scope === 'OPERATION') {
    if (cycle !== undefined) throw new InvalidBodyError(`${where}: cycle must be left out for scope OPERATION`);
    if (measure === 'COUNT') throw new InvalidBodyError(`${where}: measure COUNT is for scope USER and PAYMASTER`);
  } else if (cycle === undefined) {
    throw new InvalidBodyError(`${where}: cycle must be sent for scope ${scope}`);
  }
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}
