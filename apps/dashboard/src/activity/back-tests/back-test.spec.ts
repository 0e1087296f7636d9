import { limitPolicyBuilder, rulesPolicyBuilder } from '@paymaster/domain/testing';
import { BackTest, type PastOperation } from './back-test';

const AT = Date.parse('2026-03-04T05:00:00Z');
const ALICE = `0x${'a'.repeat(40)}` as const;
const BOB = `0x${'b'.repeat(40)}` as const;
const past = (change: Partial<PastOperation> & { minutes?: number } = {}): PastOperation => ({
  state: 'settled',
  sender: ALICE,
  targets: [{ to: BOB, selector: '0xd09de08a', valueWei: '0' }],
  expectedCostWei: '100',
  actualCostWei: '60',
  createdAt: new Date(AT + (change.minutes ?? 0) * 60_000),
  ...change,
});
const perHour = { id: 'l', scope: 'PAYMASTER', measure: 'WEI', amount: 200n, cycle: 'HOUR' } as const;

function run(draft: ConstructorParameters<typeof BackTest>[0], operations: readonly PastOperation[]) {
  const test = new BackTest(draft);
  operations.forEach((operation) => test.add(operation));
  return test.result();
}

describe('BackTest', () => {
  it('counts what operations really cost, within their windows', () => {
    const draft = rulesPolicyBuilder({ limits: [perHour] }).build();
    // 100 held, 60 spent each: the third would need 120 + 100.
    const result = run(draft, [past(), past(), past(), past({ minutes: 60 })]);
    expect(result).toMatchObject({ operations: 4, refused: 1, refusedByReason: { SPENDING_LIMIT_REACHED: 1 } });
  });

  it('counts what has not landed at its most, and what never will at nothing', () => {
    const draft = rulesPolicyBuilder({ limits: [perHour] }).build();
    const open = past({ state: 'granted', actualCostWei: null });
    const voided = past({ state: 'voided', actualCostWei: null });
    expect(run(draft, [voided, voided, open, open, open])).toMatchObject({ refused: 1 });
  });

  it('says whom it would have refused, most first', () => {
    const draft = rulesPolicyBuilder({ deniedSenders: [BOB] }).build();
    expect(run(draft, [past(), past({ sender: BOB }), past({ sender: BOB })])).toMatchObject({
      refused: 2,
      refusedByReason: { SENDER_NOT_ALLOWED: 2 },
      senders: [
        { sender: BOB, operations: 2, refused: 2 },
        { sender: ALICE, operations: 1, refused: 0 },
      ],
    });
  });

  it('tries limits of the other kind as well', () => {
    const draft = limitPolicyBuilder({
      subject: 'SMART_ACCOUNT',
      measure: 'COUNT',
      threshold: 1n,
      startTimeMs: AT,
    }).build();
    expect(run(draft, [past(), past(), past({ sender: BOB })])).toMatchObject({ operations: 3, refused: 1 });
  });

  it('names what it cannot judge, and judges the rest', () => {
    const draft = rulesPolicyBuilder({
      maxFeePercentOfBaseFee: 100,
      limits: [perHour, { ...perHour, id: 'usd', measure: 'USD', amount: 1n }],
      maxCallValueWei: 5n,
    }).build();
    const dear = past({ targets: [{ to: BOB, selector: null, valueWei: '6' }] });
    expect(run(draft, [past(), dear])).toMatchObject({
      refused: 1,
      refusedByReason: { VALUE_TOO_HIGH: 1 },
      notEvaluated: ['maxFeePercentOfBaseFee', 'limits in USD'],
    });
  });
});
