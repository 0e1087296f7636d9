import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { UnreadAnswers } from './unread-answers';

const LARGE = 100_000;

/** An answer on a connection of its own. */
class Response extends EventEmitter {
  readonly destroy = jest.fn(() => this.emit('close'));
  readonly req = { socket: Object.assign(new EventEmitter(), { destroy: this.destroy }) };
}

const aResponse = () => new Response() as unknown as ServerResponse & Response;

describe('UnreadAnswers', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const bounds = { mostBytes: 250_000, readWithinMs: 1_000 };

  it('refuses a large answer while unread answers use all the room', () => {
    const unread = new UnreadAnswers(bounds);
    const [first, second] = [aResponse(), aResponse()];
    expect(unread.keep(first, LARGE)).toBe(true);
    expect(unread.keep(second, LARGE)).toBe(true);
    expect(unread.keep(aResponse(), LARGE)).toBe(false);
    first.emit('close');
    expect(unread.keep(aResponse(), LARGE)).toBe(true);
  });

  it('frees the room of an answer that waits behind another when its connection closes', () => {
    const unread = new UnreadAnswers(bounds);
    const waiting = aResponse();
    unread.keep(waiting, 2 * LARGE);
    expect(unread.keep(aResponse(), LARGE)).toBe(false);
    // Node emits no event on the response itself.
    waiting.req.socket.emit('close');
    expect(unread.keep(aResponse(), 2 * LARGE)).toBe(true);
  });

  it('lets small answers pass at any time', () => {
    const unread = new UnreadAnswers({ ...bounds, mostBytes: 0 });
    expect(unread.keep(aResponse(), 1_000)).toBe(true);
  });

  it('cuts a client off that does not read in time', () => {
    const unread = new UnreadAnswers(bounds);
    const [slow, quick] = [aResponse(), aResponse()];
    unread.keep(slow, LARGE);
    unread.keep(quick, LARGE);
    quick.emit('close');
    jest.advanceTimersByTime(bounds.readWithinMs);
    expect(slow.destroy).toHaveBeenCalled();
    expect(quick.destroy).not.toHaveBeenCalled();
    expect(unread.keep(aResponse(), 2 * LARGE)).toBe(true);
  });
});
