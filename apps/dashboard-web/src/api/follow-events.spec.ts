import { followEvents } from './follow-events';

const event = (id: number) => `id: ${id}\nevent: operation.granted\ndata: {"paymasterId":"p"}\n\n`;

/** Follows through these answers, one for each time that the stream is opened, and tells what happened. */
async function follow(answers: readonly (string | Error)[]): Promise<readonly unknown[]> {
  const story: unknown[] = [];
  const leaving = new AbortController();
  const left = [...answers];
  await followEvents({
    signal: leaving.signal,
    open: async (lastId) => {
      story.push(['open', lastId]);
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return new Response(answer ?? '');
    },
    onUp: (isNew) => story.push(isNew ? 'up, new' : 'up'),
    onEvents: (events) => story.push(events.map(({ id }) => id)),
    onEnd: () => story.push('ended'),
    onFailure: () => story.push('failed'),
    pause: async (ms) => {
      story.push(ms);
      if (left.length === 0) leaving.abort();
    },
  });
  return story;
}

describe('followEvents', () => {
  it('goes on after the last event when the stream ends', async () => {
    expect(await follow([event(7) + event(8), ': still here\n\n'])).toEqual([
      ...[['open', undefined], 'up, new', ['7', '8'], 'ended', 1_000],
      ...[['open', '8'], 'up', 'ended', 1_000],
    ]);
  });

  it('waits longer after each refusal, and as at first once the stream was there', async () => {
    const refusal = new Error('429');
    expect(await follow([refusal, refusal, refusal, event(1), refusal])).toEqual([
      ...[['open', undefined], 'failed', 1_000],
      ...[['open', undefined], 'failed', 2_000],
      ...[['open', undefined], 'failed', 4_000],
      ...[['open', undefined], 'up, new', ['1'], 'ended', 1_000],
      ...[['open', '1'], 'failed', 1_000],
    ]);
  });

  it('never waits longer than half a minute', async () => {
    const story = await follow(Array.from({ length: 9 }, () => new Error('503')));
    expect(story.at(-1)).toBe(30_000);
  });

  it('ends with the signal, and says nothing more', async () => {
    const leaving = new AbortController();
    const said: string[] = [];
    const say = (text: string) => () => said.push(text);
    const following = followEvents({
      signal: leaving.signal,
      open: async (_, signal) => new Response(silentUntil(signal)),
      onUp: () => (said.push('up'), leaving.abort()),
      ...{ onEvents: say('events'), onEnd: say('ended'), onFailure: say('failed') },
    });
    await following;
    expect(said).toEqual(['up']);
  });

  it('opens the stream again when the dashboard is silent for longer than its heartbeat', async () => {
    jest.useFakeTimers();
    const leaving = new AbortController();
    const said: string[] = [];
    const say = (text: string) => () => void said.push(text);
    const following = followEvents({
      signal: leaving.signal,
      open: async (_, signal) => new Response(silentUntil(signal)),
      ...{ onUp: say('up'), onEvents: say('events'), onEnd: say('ended'), onFailure: say('failed') },
      pause: async () => leaving.abort(),
    });
    await jest.advanceTimersByTimeAsync(39_000);
    expect(said).toEqual(['up']);
    await jest.advanceTimersByTimeAsync(2_000);
    await following;
    expect(said).toEqual(['up', 'ended']);
    jest.useRealTimers();
  });
});

/** A stream that says nothing, and breaks with the signal, as that of `fetch` does. */
function silentUntil(signal: AbortSignal): ReadableStream {
  return new ReadableStream({
    start: (stream) => signal.addEventListener('abort', () => stream.error(signal.reason)),
  });
}
