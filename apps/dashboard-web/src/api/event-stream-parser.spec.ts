import { EventStreamParser } from './event-stream-parser';

const TEXT =
  'retry: 1000\n\n' +
  ': still here\n\n' +
  'id: 7\nevent: policy.changed\ndata: {"at":"2026-01-31T12:00:00.000Z","paymasterId":"p","version":3}\n\n' +
  'id: 8\nevent: reset\ndata: {}\n\n';
const EVENTS = [
  { id: '7', type: 'policy.changed', paymasterId: 'p' },
  { id: '8', type: 'reset', paymasterId: undefined },
];

describe('EventStreamParser', () => {
  it('reads events, and leaves out what is none', () => {
    expect(new EventStreamParser().take(TEXT)).toEqual(EVENTS);
  });

  it('reads the same from pieces of any length', () => {
    const reader = new EventStreamParser();
    expect([...TEXT].flatMap((piece) => reader.take(piece))).toEqual(EVENTS);
  });

  it('keeps an event whose data are not understood', () => {
    expect(new EventStreamParser().take('event: operation.granted\ndata: {\n\n')).toEqual([
      { id: undefined, type: 'operation.granted', paymasterId: undefined },
    ]);
  });
});
