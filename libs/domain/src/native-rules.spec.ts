import { NO_NATIVE_RULES, nativeRulesOf } from './native-rules';

describe('the rules of a stored policy', () => {
  it('are all rules that it has, and no others', () => {
    expect(nativeRulesOf({ priority: 1, maxCallsPerOperation: 3 })).toEqual({
      ...NO_NATIVE_RULES,
      maxCallsPerOperation: 3,
    });
  });

  it('are not guessed where a later version stored one that this version does not know', () => {
    const stored = { priority: 1, maxCallsPerOperation: 3, maxSpentOnMondays: '1' };
    expect(() => nativeRulesOf(stored)).toThrow('does not know: maxSpentOnMondays');
  });
});
