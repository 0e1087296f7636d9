import { Injectable } from '@nestjs/common';

/** The last fault of the ledger. Callers only learn that the ledger is down; operators read the reason here. */
@Injectable()
export class LastLedgerFault {
  last: string | undefined;

  heard(cause: unknown): void {
    // If a host has several addresses, each has an error of its own.
    const [first] = cause instanceof AggregateError ? (cause.errors as unknown[]) : [cause];
    this.last = first instanceof Error ? first.message : 'unknown';
  }
}
