import { BodyMemory, type KeptBody } from './body-memory';

describe('BodyMemory', () => {
  let memory: BodyMemory;
  let givenUp: string[];
  beforeEach(() => {
    memory = new BodyMemory(1_000);
    givenUp = [];
  });
  const begin = (name: string, bytes = 0): KeptBody => {
    const body = { bytes: 0, giveUp: () => void givenUp.push(name) };
    if (bytes > 0) expect(memory.take(body, bytes)).toBe(true);
    return body;
  };

  it('gives up the bodies that have been arriving for the longest, as many as needed', () => {
    for (const name of ['first', 'second', 'third']) begin(name, 300);
    begin('fourth', 300);
    expect(givenUp).toEqual(['first']);
    begin('fifth', 650);
    expect(givenUp).toEqual(['first', 'second', 'third']);
  });

  it('does not give up complete bodies, and has no room if there are only such', () => {
    memory.complete(begin('complete', 600));
    const coming = begin('coming', 300);
    expect(memory.take(begin('new'), 500)).toBe(false);
    expect(givenUp).toEqual(['coming']);
    expect(coming.bytes).toBe(0);
    begin('small', 400);
  });

  it('does not give up bodies that began later than the asking one', () => {
    const old = begin('old', 600);
    begin('late', 300);
    expect(memory.take(old, 200)).toBe(false);
    expect(givenUp).toEqual([]);
    expect(memory.take(old, 100)).toBe(true);
  });

  it('does not give up bodies without bytes', () => {
    begin('silent');
    begin('first', 1_000);
    begin('second', 1_000);
    expect(givenUp).toEqual(['first']);
  });

  it('counts a complete body until it ends, and ends it only once', () => {
    const body = begin('body', 700);
    memory.complete(body, 500);
    begin('other', 500);
    expect(memory.take(begin('more'), 501)).toBe(false);
    expect(givenUp).toEqual(['other']);
    for (let times = 0; times < 2; times++) memory.end(body);
    begin('all', 1_000);
    expect(givenUp).toEqual(['other']);
  });
});
