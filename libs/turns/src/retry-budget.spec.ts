import { RetryBudget } from './retry-budget';

const taken = (budget: RetryBudget, times: number) =>
  Array.from({ length: times }, () => budget.take()).filter(Boolean);

it('has ten in hand, then one for every ten calls', () => {
  const budget = new RetryBudget();
  expect(taken(budget, 50)).toHaveLength(10);
  let repeated = 0;
  for (let call = 0; call < 1_000; call += 1) {
    budget.earn();
    if (budget.take()) repeated += 1;
  }
  expect(repeated).toBe(100);
});

it('keeps no more than ten', () => {
  const budget = new RetryBudget();
  for (let call = 0; call < 1_000; call += 1) budget.earn();
  expect(taken(budget, 50)).toHaveLength(10);
});
