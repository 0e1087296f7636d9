import { DependencyUnavailableError } from '@paymaster/domain';
import { withDeadline } from './with-deadline';

describe('withDeadline', () => {
  it('hands on what comes in time, result or error', async () => {
    await expect(withDeadline(Promise.resolve(7), 1_000)).resolves.toBe(7);
    await expect(withDeadline(Promise.reject(new Error('no')), 1_000)).rejects.toThrow('no');
  });

  it('gives up on what does not, also when it fails afterwards', async () => {
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_resolve, reject) => (fail = reject));
    await expect(withDeadline(work, 10)).rejects.toThrow(DependencyUnavailableError);
    fail(new Error('too late'));
    await new Promise(setImmediate);
  });
});
