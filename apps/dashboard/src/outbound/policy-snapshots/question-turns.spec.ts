import { QuestionTurns } from './question-turns';

describe('QuestionTurns', () => {
  let nowMs: number;
  beforeEach(() => {
    nowMs = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => jest.restoreAllMocks());

  /** Questions that are read until told, and those that were begun. */
  const world = (most: number, mostWaiting = 10) => {
    const heard = { dropped: 0 };
    const turns = new QuestionTurns({ most, mostWaiting, onDropped: () => void heard.dropped++ });
    const begun: string[] = [];
    const ends = new Map<string, (end: 'well' | 'badly') => void>();
    const ask = (name: string, untilMs = 60_000) =>
      turns.answer(untilMs, () => {
        begun.push(name);
        return new Promise<void>((resolve, reject) =>
          ends.set(name, (end) => (end === 'well' ? resolve() : reject(new Error(name)))),
        );
      });
    const end = async (name: string, how: 'well' | 'badly' = 'well') => {
      ends.get(name)!(how);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { heard, begun, ask, end };
  };

  it('reads for as many at once as there are connections, the newest of the others first', async () => {
    const { heard, begun, ask, end } = world(2);
    const answers = ['a', 'b', 'c', 'd'].map((name) => ask(name).catch((error: Error) => `failed ${error.message}`));
    expect(begun).toEqual(['a', 'b']);
    await end('b', 'badly');
    expect(begun).toEqual(['a', 'b', 'd']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'd', 'c']);
    for (const name of ['c', 'd']) await end(name);
    expect(await Promise.all(answers)).toEqual([undefined, 'failed b', undefined, undefined]);
    expect(heard.dropped).toBe(0);
  });

  it('reads nothing for who has given up, and goes on with the next', async () => {
    const { heard, begun, ask, end } = world(1);
    const first = ask('first');
    const next = ask('next', 3_000);
    const gone = ask('gone', 2_000);
    nowMs = 2_000;
    await end('first');
    await Promise.all([first, gone]);
    await end('next');
    await next;
    expect(begun).toEqual(['first', 'next']);
    expect(heard.dropped).toBe(1);
  });

  it('drops the oldest of too many, at once', async () => {
    const { heard, begun, ask, end } = world(1, 3);
    const questions = ['first', ...Array.from({ length: 1_000 }, (_, index) => `flood ${index}`), 'honest'];
    const answers = questions.map((name) => ask(name));
    await Promise.all(answers.slice(1, -3));
    expect(heard.dropped).toBe(998);
    for (const name of ['first', 'honest', 'flood 999', 'flood 998']) await end(name);
    await Promise.all(answers);
    expect(begun).toEqual(['first', 'honest', 'flood 999', 'flood 998']);
  });

  it('has a turn for the next one after all that waited were dropped', async () => {
    const { begun, ask, end } = world(1);
    const answers = [ask('first'), ask('gone', 2_000)];
    nowMs = 2_000;
    await end('first');
    await Promise.all(answers);
    const last = ask('last');
    expect(begun).toEqual(['first', 'last']);
    await end('last');
    await last;
  });
});
