import { MessageAuthenticator } from './message-authenticator';
import { MAX_RATE_MESSAGE_BYTES, RATE_SUBJECTS, RateReader, toRateBody, type RateMessage } from './rate-messages';

const NOW_MS = 1_770_000_000_000;
const authenticator = new MessageAuthenticator('11'.repeat(32));
const MESSAGE: RateMessage = {
  from: '00000000-0000-4000-8000-000000000000',
  number: 1,
  timestampMs: NOW_MS,
  taken: { keys: [['abc', 3]] },
};

const reader = () => new RateReader({ subject: RATE_SUBJECTS.gateway, authenticator }, () => NOW_MS);
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const signed = (message: unknown, subject: string = RATE_SUBJECTS.gateway) =>
  bytes(authenticator.signRates(subject, toRateBody(message as RateMessage)));

describe('RateReader', () => {
  it('reads each message of another process once', () => {
    const one = reader();
    expect(one.read(signed(MESSAGE))).toEqual(MESSAGE);
    expect(one.read(signed(MESSAGE))).toBeUndefined();
    expect(one.read(signed({ ...MESSAGE, number: 2 }))).toBeDefined();
    expect(one.read(signed(MESSAGE))).toBeUndefined();
  });

  it.each<[string, Buffer]>([
    ['no JSON', Buffer.from('{')],
    ['null', bytes(null)],
    ['no proof', bytes({ body: toRateBody(MESSAGE) })],
    [
      'another key',
      bytes(new MessageAuthenticator('22'.repeat(32)).signRates(RATE_SUBJECTS.gateway, toRateBody(MESSAGE))),
    ],
    ['another app', signed(MESSAGE, RATE_SUBJECTS.dashboard)],
    ['another body', bytes({ ...authenticator.signRates(RATE_SUBJECTS.gateway, '{}'), body: toRateBody(MESSAGE) })],
    ['old news', signed({ ...MESSAGE, timestampMs: NOW_MS - 6_000 })],
    ['news of the future', signed({ ...MESSAGE, timestampMs: NOW_MS + 6_000 })],
    ['too long', Buffer.alloc(MAX_RATE_MESSAGE_BYTES + 1, ' ')],
    ['nobody', signed({ ...MESSAGE, from: 'somebody' })],
    ['no number', signed({ ...MESSAGE, number: '1' })],
    ['nothing taken', signed({ ...MESSAGE, taken: null })],
    ['no list', signed({ ...MESSAGE, taken: { keys: 3 } })],
    ['a strange key', signed({ ...MESSAGE, taken: { keys: [['a b', 3]] } })],
    ['a long key', signed({ ...MESSAGE, taken: { keys: [['a'.repeat(65), 3]] } })],
    ['tokens given', signed({ ...MESSAGE, taken: { keys: [['abc', -3]] } })],
    ['tokens without end', signed({ ...MESSAGE, taken: { keys: [['abc', 1e12]] } })],
    ['tokens as text', signed({ ...MESSAGE, taken: { keys: [['abc', '3']] } })],
  ])('ignores %s', (_title, data) => {
    expect(reader().read(data)).toBeUndefined();
  });
});
