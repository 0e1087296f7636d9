import { readDecision } from './decision-answer';

describe('readDecision', () => {
  it.each([
    ['{"arePoliciesVerified":true}', 'verified'],
    ['{"arePoliciesVerifed":true,"more":1}', 'verified'],
    ['{"arePoliciesVerified":false}', 'refused'],
    ['{"arePoliciesVerified":false,"arePoliciesVerifed":true}', 'refused'],
  ])('reads %s as %s', (body, decision) => expect(readDecision({ status: 200, body })).toBe(decision));

  it.each([
    '',
    'true',
    'null',
    '[]',
    '{}',
    '{"sponsor":"true"}',
    '{"arePoliciesVerified":"true"}',
    '<html>',
    '{"arePol',
  ])('finds no decision in %s', (body) => expect(readDecision({ status: 200, body })).toBe('notUnderstood'));

  it.each([201, 204, 302, 400, 500])(
    'finds no decision in an answer with status %i, whatever its body is',
    (status) => {
      expect(readDecision({ status, body: '{"arePoliciesVerified":true}' })).toBe('notUnderstood');
    },
  );
});
