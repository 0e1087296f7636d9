import { DependencyUnavailableError } from '@paymaster/domain';

/** Too few providers of a chain gave the same answer: nothing is known. */
export class NotAgreedError extends DependencyUnavailableError {
  /**
   * @param faults the faults of the providers that gave no answer
   * @param answers how many different answers there were
   */
  constructor(
    message: string,
    readonly faults: readonly unknown[],
    readonly answers: number,
  ) {
    super('chain', message, { cause: faults.at(-1) });
    this.name = 'NotAgreedError';
  }
}

/** A provider said something else than more than half of them. */
export class DisagreementError extends Error {
  constructor(
    readonly host: string,
    readonly method: string,
  ) {
    super(`${host} answers ${method} otherwise than the other providers: it is asked last for a while`);
    this.name = 'DisagreementError';
  }
}
