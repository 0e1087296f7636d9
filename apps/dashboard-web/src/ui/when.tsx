import { localTime, relativeTime, utcTime } from '../format/time';
import { Tooltip } from './tooltip';

/** A time in the reader's zone, in UTC on hover. */
export function When({ iso, relative = false }: { readonly iso: string; readonly relative?: boolean }) {
  return (
    <Tooltip label={relative ? `${localTime(iso)}, ${utcTime(iso)}` : utcTime(iso)}>
      <time dateTime={iso} className="numbers">
        {relative ? relativeTime(iso, Date.now()) : localTime(iso)}
      </time>
    </Tooltip>
  );
}
