import { eventId } from './event-ids';

const FACT = [1, 'settled', '0xaa', '0xbb'];

describe('eventId', () => {
  it('is a UUID that only the fact decides', () => {
    expect(eventId(FACT, 0)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(eventId([...FACT], 0)).toBe(eventId(FACT, 0));
  });

  it.each([
    ['on another chain', [2, 'settled', '0xaa', '0xbb'], 0],
    ['of another kind', [1, 'landed', '0xaa', '0xbb'], 0],
    ['of another operation', [1, 'settled', '0xab', '0xbb'], 0],
    ['in another block', [1, 'settled', '0xaa', '0xbc'], 0],
    ['another time', FACT, 1],
    ['cut in other places', [1, 'settled', '0xaa0xbb', ''], 0],
  ])('differs %s', (_what, fact, time) => {
    expect(eventId(fact, time)).not.toBe(eventId(FACT, 0));
  });
});
