import { fromStored, toStored } from './stored-event';

const EVENT = {
  chainId: 1,
  trace: [
    { rule: 'policiesSet', input: '1 whitelisted methods', outcome: 'pass' },
    { rule: 'nativeTransfers', input: 'sponsored', outcome: 'skip' },
    { rule: 'of an owner, "quoted"', input: '-1', outcome: 'refuse' },
    { rule: '7', input: '', outcome: 'pass' },
    { rule: 'operationCostCap', input: '5 <= 6', outcome: 'pass' },
  ],
  prechargeWei: '5',
} as const;

describe('an event in the outbox', () => {
  it('is the same text when it is read', () => {
    const text = JSON.stringify(toStored(EVENT));
    expect(JSON.stringify(fromStored(JSON.parse(text) as object))).toBe(JSON.stringify(EVENT));
  });

  it('has an empty trace for settlement of the version before, and rules by their positions', () => {
    // Rows of versions before have these positions, so they never change.
    const lines = [
      0,
      '1 whitelisted methods',
      5,
      'sponsored',
      -1,
      'of an owner, "quoted"',
      '-1',
      -2,
      '7',
      '',
      23,
      '5 <= 6',
    ];
    expect(toStored(EVENT)).toEqual({ ...EVENT, trace: [], lines });
  });

  it('is returned as it is where a gateway of the version before wrote it', () => {
    expect(fromStored(EVENT)).toBe(EVENT);
  });
});
