import { NobodyWaitsError, QuestionTurns } from './question-turns';

describe('QuestionTurns', () => {
  let nowMs: number;
  beforeEach(() => {
    nowMs = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => jest.restoreAllMocks());

  /** Questions that are read until told, and those that were begun. */
  const world = (most: number) => {
    const turns = new QuestionTurns(most);
    const begun: string[] = [];
    const ends = new Map<string, (end: 'well' | 'badly') => void>();
    const ask = (name: string, untilMs = 60_000) =>
      turns.answer(untilMs, () => {
        begun.push(name);
        return new Promise<string>((resolve, reject) =>
          ends.set(name, (end) => (end === 'well' ? resolve(name) : reject(new Error(name)))),
        );
      });
    const end = (name: string, how: 'well' | 'badly' = 'well') => ends.get(name)!(how);
    return { begun, ask, end };
  };
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  it('reads for as many at once as there are connections, the others in their order', async () => {
    const { begun, ask, end } = world(2);
    const answers = ['a', 'b', 'c', 'd'].map((name) => ask(name).catch((error: Error) => `failed ${error.message}`));
    expect(begun).toEqual(['a', 'b']);
    end('b', 'badly');
    await nextTurn();
    expect(begun).toEqual(['a', 'b', 'c']);
    end('a');
    await nextTurn();
    ['c', 'd'].forEach((name) => end(name));
    expect(await Promise.all(answers)).toEqual(['a', 'failed b', 'c', 'd']);
  });

  it('reads nothing for who has given up, and goes on with the next', async () => {
    const { begun, ask, end } = world(1);
    const first = ask('first');
    const gone = ask('gone', 2_000);
    const next = ask('next', 3_000);
    nowMs = 2_000;
    end('first');
    await first;
    await expect(gone).rejects.toThrow(NobodyWaitsError);
    end('next');
    expect(await next).toBe('next');
    expect(begun).toEqual(['first', 'next']);
  });

  it('reads nothing that came too late', async () => {
    const { begun, ask } = world(1);
    await expect(ask('late', 1_000)).rejects.toThrow(NobodyWaitsError);
    expect(begun).toEqual([]);
  });
});
