import { Max, Min } from 'class-validator';
import { REQUEST_OUTCOMES } from '@paymaster/messaging';
import { UUID } from '../../platform/database/uuid';
import type { PagePlace } from '../../platform/http/page-cursor';
import { Cursor, From, OneOf, periodOf, TextOf, To, WholeNumber } from '../../platform/http/query-rules';
import type { RequestLogFilter } from './request-log-entry';

const KEY = /^(main|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const LIMIT = { minimum: 1, maximum: 200, default: 50 };
const OUT_OF_BOUNDS = { message: `$property must be from ${LIMIT.minimum} to ${LIMIT.maximum}` };

/** Which entries of the request log are wanted, and which page of them. */
export class RequestLogQuery {
  @OneOf(REQUEST_OUTCOMES) readonly outcome?: string;
  @TextOf(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be an error reason') readonly reason?: string;
  @TextOf(/^[A-Za-z0-9_.]{1,100}$/, 'must be the name of a method') readonly method?: string;
  @TextOf(/^0x[0-9a-f]{40}$/i, 'must be an address') readonly sender?: string;
  @TextOf(KEY, 'must be the id of a key, or main', { description: 'A named key, or `main` for the paymaster’s own.' })
  readonly key?: string;
  @TextOf(/^[A-Za-z0-9_.-]{1,64}$/, 'must be the id of a request') readonly requestId?: string;
  @From() readonly from?: string;
  @To() readonly to?: string;
  @Max(LIMIT.maximum, OUT_OF_BOUNDS)
  @Min(LIMIT.minimum, OUT_OF_BOUNDS)
  @WholeNumber(LIMIT)
  readonly limit: number = LIMIT.default;
  @Cursor(UUID) readonly cursor?: PagePlace;
}

/** @throws {InvalidBodyError} when the period is empty */
export function filterOf({ from, to, limit: _limit, cursor: _cursor, ...facts }: RequestLogQuery): RequestLogFilter {
  return { ...facts, ...periodOf({ from, to }) };
}
