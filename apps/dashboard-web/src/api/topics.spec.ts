import type { StreamEvent } from './event-stream-parser';
import { topicsOf } from './topics';

const event = (type: string, paymasterId = 'p'): StreamEvent => ({ id: '1', type, paymasterId });
const keys = (...events: readonly StreamEvent[]) => topicsOf('a', events).map((key) => key.join('/'));

describe('topicsOf', () => {
  it('names operations and what they cost, and no policies, when an operation changes', () => {
    expect(keys(event('operation.settled'))).toEqual(
      expect.arrayContaining(['account/a/p/operations', 'account/a/p/usage']),
    );
    expect(keys(event('operation.settled'))).not.toContain('account/a/p/policies');
  });

  it('names what is set up, and the audit log, when a policy changes', () => {
    const found = keys(event('policy.changed'));
    expect(found).toEqual(
      expect.arrayContaining(['account/a/p/policies', 'account/a/shared-policies', 'account/a/audit-log']),
    );
    expect(found).not.toContain('account/a/p/operations');
  });

  it('names each key once, however many events there are', () => {
    const found = keys(event('operation.granted'), event('operation.landed'), event('operation.granted', 'q'));
    expect(found).toEqual([...new Set(found)]);
    expect(found).toContain('account/a/q/operations');
  });

  it.each<StreamEvent>([event('reset'), { id: '1', type: 'operation.granted', paymasterId: undefined }])(
    'names all of the account after %j',
    (found) => {
      expect(keys(event('operation.granted'), found)).toEqual(['account/a']);
    },
  );
});
