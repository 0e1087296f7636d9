/** Where a trace stands in another process. */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Longer than any header of today's version; one of a later version may have more after the flags. */
const MAX_LENGTH = 512;
const PATTERN = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/**
 * Reads the header as https://www.w3.org/TR/trace-context/#traceparent-header says.
 *
 * @returns undefined for what is malformed: then a trace of its own begins
 */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  if (header === undefined || header.length > MAX_LENGTH) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = PATTERN.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The header for the next process. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
