import { CallGate } from './call-gate';

describe('CallGate', () => {
  it('halves the calls at once after a refusal, down to one, and allows more with each answer', () => {
    const gate = new CallGate({ most: 32 });
    expect(gate.atOnce).toBe(32);
    gate.refused();
    expect(gate.atOnce).toBe(16);
    for (let refusals = 0; refusals < 10; refusals += 1) gate.refused();
    expect(gate.atOnce).toBe(1);
    for (let answers = 0; answers < 10; answers += 1) gate.answered();
    expect(gate.atOnce).toBe(4);
    for (let answers = 0; answers < 2_000; answers += 1) gate.answered();
    expect(gate.atOnce).toBe(32);
  });

  it('lets waiting calls in, in order, as others end', async () => {
    const gate = new CallGate({ most: 32 });
    for (let refusals = 0; refusals < 5; refusals += 1) gate.refused();
    const order: number[] = [];
    await gate.enter();
    const waiting = [1, 2].map((caller) => Promise.resolve(gate.enter()).then(() => order.push(caller)));
    await Promise.resolve();
    expect(order).toEqual([]);
    gate.leave();
    await waiting[0];
    expect(order).toEqual([1]);
    gate.leave();
    await waiting[1];
    expect(order).toEqual([1, 2]);
  });
});
