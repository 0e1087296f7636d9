import { EventStreamParser, type StreamEvent } from './event-stream-parser';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The dashboard says every 15 seconds that it is there. */
const SILENCE_MS = 40_000;

export interface Following {
  /** Asks for the events after the one with this id; from now on without one. @throws when it is refused */
  readonly open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;
  /** The stream is there. `isNew`: what happened before it was opened is not told. */
  readonly onUp: (isNew: boolean) => void;
  readonly onEvents: (events: readonly StreamEvent[]) => void;
  /** The stream ended; it is opened again. */
  readonly onEnd: () => void;
  /** It could not be opened; it is tried again after a while. */
  readonly onFailure: () => void;
  readonly signal: AbortSignal;
  /** Waits so many milliseconds, or until the signal. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Follows the events of an account until the signal, and opens the stream again each time that it ends. */
export async function followEvents({ signal, pause = wait, ...following }: Following): Promise<void> {
  let lastId: string | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    let isUp = false;
    try {
      for await (const events of batches(following, lastId, signal)) {
        if (!isUp) following.onUp(lastId === undefined);
        isUp = true;
        pauseMs = FIRST_PAUSE_MS;
        lastId = events.findLast(({ id }) => id !== undefined)?.id ?? lastId;
        if (events.length > 0) following.onEvents(events);
      }
    } catch {
      // It is opened again, whatever ended it.
    }
    if (signal.aborted) return;
    if (isUp) following.onEnd();
    else following.onFailure();
    await pause(pauseMs, signal);
    if (!isUp) pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

/** The events as they arrive; an empty batch when the stream opens. Silence ends it: such a connection may be dead. */
async function* batches(
  { open }: Pick<Following, 'open'>,
  lastId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamEvent[]> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const { body } = await open(lastId, AbortSignal.any([signal, silence.signal]));
    if (!body) return;
    yield [];
    const [reader, decoder, text] = [body.getReader(), new TextDecoder(), new EventStreamParser()];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      yield text.take(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
