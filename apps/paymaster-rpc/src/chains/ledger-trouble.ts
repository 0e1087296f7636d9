import { Injectable } from '@nestjs/common';

/** What the ledger last complained of: it tells callers that it is down, and operators why. */
@Injectable()
export class LedgerTrouble {
  last: string | undefined;

  heard(cause: unknown): void {
    // Of several addresses of one host, each has an error of its own.
    const [first] = cause instanceof AggregateError ? (cause.errors as unknown[]) : [cause];
    this.last = first instanceof Error ? first.message : 'unknown';
  }
}
