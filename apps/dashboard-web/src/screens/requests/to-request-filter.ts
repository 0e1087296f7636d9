import type { LoggedRequest, RequestFilter } from '../../api/queries';
import { startOfDay } from '../../format/time';

/** What became of a request, as a reader calls it. */
export const OUTCOMES: Readonly<
  Record<LoggedRequest['outcome'], { readonly label: string; readonly color: string; readonly means: string }>
> = {
  granted: { label: 'signed', color: 'green', means: 'The gateway signed it.' },
  refused: { label: 'refused', color: 'red', means: 'The gateway refused it: it signed nothing.' },
  invalid: { label: 'invalid', color: 'orange', means: 'The request was wrong.' },
  failed: { label: 'failed', color: 'grape', means: 'The gateway could not answer.' },
};

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const REASON = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const REQUEST = /^(?!0x)[A-Za-z0-9_.-]{1,64}$/;

export interface RequestSearch {
  readonly search?: string | undefined;
  readonly outcome?: string | undefined;
  readonly method?: string | undefined;
  readonly key?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What of a typed text can be looked for: an account, a reason in any case, or the id of a request. */
export function searchedIn(typed: string): string | undefined {
  const text = typed.trim();
  if (ADDRESS.test(text) || REQUEST.test(text)) return REASON.test(text.toUpperCase()) ? text.toUpperCase() : text;
  return undefined;
}

/** The filter that the URL says. Days are the reader's own; the dashboard counts in UTC. */
export function toRequestFilter({ search = '', outcome, method, key, from, to }: RequestSearch): RequestFilter {
  const searched = searchedIn(search);
  return {
    ...(searched && { [ADDRESS.test(searched) ? 'sender' : REASON.test(searched) ? 'reason' : 'requestId']: searched }),
    outcome: (Object.keys(OUTCOMES) as LoggedRequest['outcome'][]).find((each) => each === outcome),
    method,
    key,
    from: startOfDay(from, 0),
    to: startOfDay(to, 1),
  };
}
