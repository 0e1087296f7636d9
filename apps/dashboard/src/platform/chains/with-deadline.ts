import { DependencyUnavailableError } from '@paymaster/domain';

/**
 * The result, if it comes in time.
 *
 * @throws {DependencyUnavailableError} `chain`, when it does not; the work is no longer waited for
 */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const problem = `the chain took longer than ${milliseconds} ms`;
    timer = setTimeout(() => reject(new DependencyUnavailableError('chain', problem)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
