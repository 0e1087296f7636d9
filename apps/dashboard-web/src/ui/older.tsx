import { Button, Group, Text } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';

interface Props {
  readonly of: UseInfiniteQueryResult;
  /** What is listed, as in `changes`. */
  readonly what: string;
}

/** The end of a list that is read page by page: reads the next page, or says that there is none. */
export function Older({ of: { hasNextPage, isFetchingNextPage, fetchNextPage }, what }: Props) {
  return (
    <Group justify="center" role="status">
      {hasNextPage ? (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older {what}
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          All {what} are shown
        </Text>
      )}
    </Group>
  );
}
