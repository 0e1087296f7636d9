import { traceSentence } from './trace-sentence';

type Outcome = 'pass' | 'refuse' | 'skip';

it.each<[string, string, Outcome, string]>([
  [
    'callGasLimit',
    '55000 <= 52945',
    'refuse',
    'The gas limit of the calls (callGasLimit) is 55,000 gas, but at most 52,945 gas is allowed.',
  ],
  [
    'callGasLimit',
    '55000 <= 316452',
    'pass',
    'The gas limit of the calls (callGasLimit) is 55,000 gas, and at most 316,452 gas is allowed.',
  ],
  [
    'equalFees',
    '4441970092 != 2000000000',
    'pass',
    'The two fees differ: the fee per gas (maxFeePerGas) is 4.4419 gwei, the tip per gas (maxPriorityFeePerGas) 2 gwei.',
  ],
  ['equalFees', '9000000000 <= 2000000000', 'refuse', 'Each of the two fees is 9 gwei, but at most 2 gwei is allowed.'],
  [
    'maxPriorityFeePerGas <= maxFeePerGas',
    '3000000000 <= 2000000000',
    'refuse',
    'The tip per gas (maxPriorityFeePerGas) is 3 gwei, but at most 2 gwei is allowed: that is the fee per gas (maxFeePerGas).',
  ],
  [
    'maxFeePerGas >= half the base fee',
    '1000000 >= 2002578616',
    'refuse',
    'The fee per gas (maxFeePerGas) is 0.001 gwei, but at least 2.0025 gwei is needed: half the base fee of now.',
  ],
  [
    'operationCostCap',
    '40000000000000000 <= 30000000000000000 wei',
    'refuse',
    'What the operation can cost is 0.04 ETH, but at most 0.03 ETH is allowed.',
  ],
  [
    'Shop: operationLimits',
    '2500000 <= 1000000 microUsd',
    'refuse',
    'Shop: What the operation can cost is 2.50 USD, but at most 1 USD is allowed.',
  ],
  ['Shop: maxCallsPerOperation', '3 <= 2 calls', 'refuse', 'Shop: The number of calls is 3, but at most 2 is allowed.'],
  [
    'One a month: limit per USER and MONTH',
    '1 count of 1',
    'refuse',
    'One a month: The limit for each account in each month is 1 operation in all. This one needs 1 operation, but so much is not left.',
  ],
  [
    'One a month: limit per USER and MONTH',
    'no price',
    'skip',
    'One a month: Limit for each account in each month did not apply: no price.',
  ],
  ['policiesSet', '1 whitelisted methods', 'pass', 'Methods are whitelisted: 1 whitelisted method.'],
  ['noDelegateCall', 'calls only', 'pass', 'No delegate call is made.'],
  ['methodsWhitelisted', '0xd09de08a of 0xc0c0', 'refuse', 'A called method is not whitelisted: 0xd09de08a of 0xc0c0.'],
  ['factoryKnown', 'no deployment', 'skip', 'Factory known did not apply: no deployment.'],
  ['somethingNew', 'because', 'refuse', 'Something new: not in order (because).'],
])('says of %s, %s, %s what is true', (rule, input, outcome, sentence) => {
  expect(traceSentence({ rule, input, outcome }, 'ETH')).toBe(sentence);
});

it('says the relation that holds, whatever the outcome is', () => {
  const said = (input: string) => traceSentence({ rule: 'maxFeePerGas', input, outcome: 'pass' }, 'ETH');
  expect(said('5 <= 5')).toContain('and at most');
  expect(said('6 <= 5')).toContain('but at most');
});

it('never lets two amounts look the same that are not', () => {
  const said = (input: string) => traceSentence({ rule: 'operationCostCap', input, outcome: 'refuse' }, 'ETH');
  expect(said('30000000000000001 <= 30000000000000000 wei')).toBe(
    'What the operation can cost is 0.030000000000000001 ETH, but at most 0.03 ETH is allowed.',
  );
  const fees = { rule: 'maxFeePerGas', input: '2000000001 <= 2000000000', outcome: 'refuse' } as const;
  expect(traceSentence(fees, 'ETH')).toBe(
    'The fee per gas (maxFeePerGas) is 2.000000001 gwei, but at most 2 gwei is allowed.',
  );
});

it('says when a policy is in force', () => {
  const said = (outcome: Outcome, input: string) => traceSentence({ rule: 'Shop: inForce', input, outcome }, 'ETH');
  expect(said('pass', 'always <= 1800000000 < 1900000000')).toMatch(
    /^Shop: It is in force until .*, and was when it was asked/,
  );
  expect(said('refuse', '1850000000 <= 1800000000 < ever')).toMatch(/^Shop: It is in force from .*, and was not when/);
});
