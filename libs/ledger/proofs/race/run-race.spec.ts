import { isUnexpected } from './run-race';

describe('a fault during a race', () => {
  it.each([
    ['the database could not do what it was asked', 'Error: no connection was free in time'],
    ['the database could not do what it was asked', 'error: canceling statement due to statement timeout'],
    ['the database does not answer; nothing is reserved until it does', 'Error: read ECONNRESET'],
  ])('of the environment is no finding: %s, %s', (message, cause) => {
    expect(isUnexpected({ message, cause })).toBe(false);
  });

  it.each([
    ['the database could not do what it was asked', 'error: violates check constraint "budgets_check"'],
    ['a finding', 'budget x: 5, not 4'],
    ['settlement ended', 'Error: Block 7 has two different events at log index 0.'],
  ])('of the ledger is a finding: %s, %s', (message, cause) => {
    expect(isUnexpected({ message, cause })).toBe(true);
  });
});
