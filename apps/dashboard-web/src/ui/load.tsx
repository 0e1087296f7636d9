import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from './problem';

interface Props<T> {
  readonly of: UseQueryResult<T>;
  /** What is read, as in `The contracts`. */
  readonly what: string;
  readonly children: (data: T) => ReactNode;
  readonly height?: number;
}

/** Shows what was read. What is shown stays while it is read again, and when that fails. */
export function Load<T>({ of: { data, error, refetch }, what, children, height = 120 }: Props<T>) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error) return <Problem error={error} what={`${what} could not be read`} retry={() => void refetch()} />;
  return (
    <Stack aria-busy="true" aria-label={`${what} are on their way`} role="status">
      <Skeleton height={height} />
    </Stack>
  );
}
