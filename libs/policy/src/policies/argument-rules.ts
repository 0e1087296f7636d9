import type { Address, ArgumentRule, Hex } from '@paymaster/domain';
import { ArgumentRuleError, compileArgumentRule, type CompiledArgumentRule } from '../arguments/compile-argument-rule';
import { pass, refuse } from './verdict';
import type { NativeCheck, NativeRule } from './native-rule';

/** Conditions on what calls pass to a method. Methods without a condition are the whitelist's business. */
export const argumentsAllowed: NativeRule = {
  name: 'arguments',
  compile: ({ arguments: rules }) => {
    if (rules.length === 0) return undefined;
    try {
      return checkOf(rules.map(compileArgumentRule));
    } catch (error) {
      if (error instanceof ArgumentRuleError) return refuseAll(error, rules);
      throw error;
    }
  },
};

function checkOf(rules: readonly CompiledArgumentRule[]): NativeCheck {
  const byMethod = groupByMethod(rules);
  return ({ calls }) => {
    let matched = 0;
    for (const { to, selector, data } of calls) {
      const rulesOfMethod = selector && byMethod.get(methodKey(to, selector));
      if (!rulesOfMethod) continue;
      matched += 1;
      for (const { check, description } of rulesOfMethod) {
        const finding = check(data);
        if (finding.ok) continue;
        return refuse(`${description}: ${finding.found}`, {
          reason: 'ARGUMENT_NOT_ALLOWED',
          message: `A call to ${to} has an argument that is not sponsored: method ${selector}`,
          details: { rule: description, value: finding.found },
        });
      }
    }
    return pass(`${matched} calls with conditions`);
  };
}

/** Fail closed: a policy with a rule that can't be read allows nothing. The dashboard stores none such. */
function refuseAll({ message }: ArgumentRuleError, rules: readonly ArgumentRule[]): NativeCheck {
  const finding = refuse(`one of ${rules.length} argument rules can't be read: ${message}`, {
    reason: 'ARGUMENT_NOT_ALLOWED',
    message: 'A policy has an argument rule that can not be read, so it sponsors nothing',
    details: { rule: message },
  });
  return () => finding;
}

function groupByMethod(rules: readonly CompiledArgumentRule[]): ReadonlyMap<string, readonly CompiledArgumentRule[]> {
  const groups = new Map<string, CompiledArgumentRule[]>();
  for (const rule of rules) {
    const key = methodKey(rule.contract, rule.selector);
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  return groups;
}

function methodKey(contract: Address, selector: Hex): string {
  return contract + selector;
}
