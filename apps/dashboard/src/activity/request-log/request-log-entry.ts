import type { LoggedRequest } from '@paymaster/messaging';

/** An entry of the request log, as it is stored. */
export interface RequestLogEntry extends Omit<LoggedRequest, 'atMs' | 'keyId' | 'userOperation'> {
  readonly at: Date;
  /** The id of the named key that was used, else `main`. */
  readonly key: string;
  /** As it was when the request came; null for the paymaster's own key. */
  readonly keyName: string | null;
}

/** An entry with the operation, for an explanation. */
export type WholeRequestLogEntry = RequestLogEntry & Pick<LoggedRequest, 'userOperation'>;

/** What an entry can be found by. */
export interface RequestLogFacts {
  readonly outcome?: string;
  readonly reason?: string;
  readonly method?: string;
  readonly sender?: string;
  readonly key?: string;
  readonly requestId?: string;
}

/** Which entries of a paymaster are wanted; newest first. */
export interface RequestLogFilter extends RequestLogFacts {
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}
